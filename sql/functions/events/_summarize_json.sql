CREATE OR REPLACE FUNCTION board._summarize_json(
    payload jsonb,
    most    int)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _text text;
BEGIN
    -- A number such as 1e131071 takes 16 bytes and prints as 131,072 digits: what may print as more
    -- than can be held is not printed to find out. (Such values are refused; one may be here from
    -- before, or from a restored dump, and would end every look at this history.)
    IF pg_column_size(payload #> '{}') > 4000 AND jsonb_path_exists(payload,
        'strict $.** ? (@.type() == "number" && (@ >= 1e40 || @ <= -1e40
                        || (@ != 0 && @ < 1e-40 && @ > -1e-40)))')
    THEN
        RETURN left('a value too large to be shown', most);
    END IF;
    _text := coalesce(
        payload ->> 'error', payload ->> 'message', payload ->> 'reason', payload ->> 'why',
        payload ->> 'note', payload ->> 'question',
        CASE WHEN jsonb_typeof(payload) = 'string' THEN payload #>> '{}' END,
        nullif(payload, '{}')::text);
    RETURN CASE WHEN length(_text) > most THEN left(_text, most - 1) || '…' ELSE _text END;
END;
$$;

COMMENT ON FUNCTION board._summarize_json IS
    'Private: what a payload says to people, in at most that many characters: its error, message, '
    'reason, why, note or question, else all of it.';
