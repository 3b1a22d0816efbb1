CREATE OR REPLACE FUNCTION board._full_kinds(
    kinds text[],
    at    timestamptz)
RETURNS text[]
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _open record;
    _full text[] := kinds;
BEGIN
    -- Reads policy, and the tasks in the slots; a hint: nothing is locked. A slot whose holder has
    -- let its lease lapse counts as free: it is, once that one is put back.
    FOR _open IN SELECT o.kind, o.max_in_progress FROM board._claimable_kinds(kinds, at) AS o LOOP
        IF board._slots_free_at(_open.kind, _open.max_in_progress, at) <= at THEN
            _full := array_remove(_full, _open.kind);
        END IF;
    END LOOP;
    RETURN _full;
END;
$$;

COMMENT ON FUNCTION board._full_kinds IS
    'Private: those of the kinds of which nothing could be taken at that moment: no slot is free, or '
    'their provider has nothing to give.';
