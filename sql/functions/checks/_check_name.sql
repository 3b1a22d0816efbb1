CREATE OR REPLACE FUNCTION board._check_name(
    value    text,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- Unicode's Default_Ignorable_Code_Point (soft hyphen, joiners, marks and overrides of
    -- direction, fillers, variation selectors, tags) and its line and paragraph separators.
    _unseen CONSTANT text :=
        $re$[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e]$re$
        || $re$|[\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]$re$
        || $re$|[\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]$re$;
BEGIN
    IF value IS NULL THEN
        PERFORM board._invalid_argument(argument, 'is NULL', 'Pass a name of 1 to 200 characters.');
    ELSIF length(value) NOT BETWEEN 1 AND 200 THEN
        PERFORM board._invalid_argument(argument, format('has %s characters', length(value)),
            'A name has 1 to 200 characters.');
    ELSIF value ~ $re$[\u0001-\u001f\u007f-\u009f]$re$ THEN
        PERFORM board._invalid_argument(argument, 'has control characters in it',
            'A name has 1 to 200 characters and no control characters.');
    ELSIF value ~ _unseen THEN
        PERFORM board._invalid_argument(argument, 'has characters in it that nobody sees',
            'A name has no characters that are of no width or turn the direction of the text: two '
            'names that look the same would not be the same.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_name IS
    'Private: 1 to 200 characters, none of them a control character (U+0001 to U+001F, U+007F '
    'to U+009F) or one that is not seen (Unicode: Default_Ignorable_Code_Point, DerivedCoreProperties); '
    'else 22023 naming the argument.';
