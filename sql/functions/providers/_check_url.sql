CREATE OR REPLACE FUNCTION board._check_url(
    value    text,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- value itself is not repeated: it may have a password in it.
    IF value !~* '^https?://[^/?#[:space:]]+[^[:space:]]*$' OR length(value) > 2000 THEN
        PERFORM board._invalid_argument(argument, 'is not an http or https URL of up to 2000 characters',
            'Pass it as in ''https://api.example.com/v1''.');
    ELSIF value ~ '^[^/]*//[^/?#]*@' THEN
        PERFORM board._invalid_argument(argument, 'has a user name or password in it',
            'Leave it out: operators read this. Let the caller add its own credentials.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_url IS
    'Private: NULL, or an http or https URL without credentials; else 22023 naming the argument.';
