CREATE OR REPLACE FUNCTION board._is_readable(jsons jsonb[])
RETURNS boolean
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _value jsonb;
BEGIN
    -- What verbs took in is; what was typed into a table, restored, or kept by an older release
    -- need not be. 64 MB is the highest settings.max_payload. Of 6,400 bytes no value prints more.
    FOREACH _value IN ARRAY coalesce(jsons, '{}') LOOP
        CONTINUE WHEN coalesce(pg_column_size(_value #> '{}') <= 6400, true);
        BEGIN
            IF board._printed_size(_value, 67108864) > 67108864 THEN
                RETURN false;
            END IF;
        EXCEPTION
            WHEN program_limit_exceeded OR statement_too_complex OR out_of_memory THEN
                RETURN false;
        END;
    END LOOP;
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._is_readable IS
    'Private: whether each of these values (NULL: is) prints as at most 64 MB, so that a client can '
    'be given it.';
