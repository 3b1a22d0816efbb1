CREATE OR REPLACE FUNCTION board._summarize_json(
    payload jsonb,
    most    int)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _text text := coalesce(
        payload ->> 'error', payload ->> 'message', payload ->> 'reason', payload ->> 'why',
        payload ->> 'note', payload ->> 'question',
        CASE WHEN jsonb_typeof(payload) = 'string' THEN payload #>> '{}' END,
        nullif(payload, '{}')::text);
BEGIN
    RETURN CASE WHEN length(_text) > most THEN left(_text, most - 1) || '…' ELSE _text END;
END;
$$;

COMMENT ON FUNCTION board._summarize_json IS
    'Private: what a payload says to people, in at most that many characters: its error, message, '
    'reason, why, note or question, else all of it.';
