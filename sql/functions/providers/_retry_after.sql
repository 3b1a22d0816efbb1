CREATE OR REPLACE FUNCTION board._retry_after(
    at      timestamptz,
    free_at timestamptz)
RETURNS interval
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- In seconds and never in days: a client adds it to its clock, and days are not all of one
    -- length. A paused provider is resumed nobody knows when: look again in a minute.
    SELECT CASE WHEN free_at = 'infinity' THEN interval '1 minute'
                ELSE (board._microseconds(free_at) - board._microseconds(at))
                    * interval '1 microsecond' END;
$$;

COMMENT ON FUNCTION board._retry_after IS
    'Private: the retry_after of a refusal, from the two moments; a minute when there is no '
    'telling.';
