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
    -- What may print as more than can be held is not printed to find out. (Such values are refused;
    -- one may be here from before, or from a restored dump, and would end every look at this
    -- history.) What is shown is one line, and nothing in it turns the line's direction: a text
    -- cannot look like the next line of the board's.
    IF NOT board._is_readable(ARRAY[payload]) THEN
        RETURN left('a value too large to be shown', most);
    END IF;
    _text := coalesce(
        payload ->> 'error', payload ->> 'message', payload ->> 'reason', payload ->> 'why',
        payload ->> 'note', payload ->> 'question',
        CASE WHEN jsonb_typeof(payload) = 'string' THEN payload #>> '{}' END,
        nullif(payload, '{}')::text);
    _text := CASE WHEN length(_text) > most THEN left(_text, most - 1) || '…' ELSE _text END;
    RETURN regexp_replace(_text,
        $re$[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]$re$, ' ', 'g');
END;
$$;

COMMENT ON FUNCTION board._summarize_json IS
    'Private: what a payload says to people, on one line of at most that many characters: its error, '
    'message, reason, why, note or question, else all of it.';
