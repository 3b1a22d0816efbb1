CREATE OR REPLACE FUNCTION board._check_on_taken(
    unique_key text,
    unique_for interval,
    on_taken   text,
    alone      boolean)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Their defaults are NULL and 'keep': with those enqueue does not ask here.
    PERFORM board._check_delay(unique_for, 'unique_for');
    IF on_taken IS NULL OR on_taken NOT IN ('keep', 'replace') THEN
        PERFORM board._invalid_argument(
            'on_taken', 'is ' || coalesce('"' || on_taken || '"', 'NULL'),
            'Pass ''keep'' or ''replace''.');
    ELSIF unique_key IS NULL THEN
        PERFORM board._invalid_argument('unique_key', 'is NULL',
            'unique_for and on_taken are about tasks with the same key: pass one.');
    ELSIF on_taken = 'replace' AND NOT alone THEN
        PERFORM board._invalid_argument('on_taken', 'is "replace", with needs or a sequence_key',
            'What a task waits for cannot be replaced: pass ''keep'', or neither of them.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_on_taken IS
    'Private: unique_for and on_taken of enqueue, of which at least one was passed; alone: without '
    'needs and sequence; else 22023 naming the argument.';
