CREATE OR REPLACE FUNCTION board._webhook_header(
    headers jsonb,
    name    text)
RETURNS text
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Twice the same header in two spellings is ambiguous: which one the sender meant is not for us
    -- to guess.
    SELECT CASE WHEN count(*) = 1 THEN min(h.value) END
      FROM jsonb_each_text(CASE WHEN jsonb_typeof(headers) = 'object' THEN headers ELSE '{}' END)
           AS h (name, value)
     WHERE lower(h.name) = _webhook_header.name;
$$;

COMMENT ON FUNCTION board._webhook_header IS
    'Private: an HTTP header by its lower-case name, whatever case it came in; NULL when it is not there once.';
