CREATE OR REPLACE FUNCTION board._unschedule(
    who  text,
    name text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _was jsonb;
BEGIN
    -- Waits for whoever is firing it: what he made stays.
    PERFORM board._check_name(_unschedule.name, 'name');
    DELETE FROM board.task_schedules AS s
     WHERE s.name = _unschedule.name
    RETURNING jsonb_build_object('cron', s.cron, 'timezone', s.timezone, 'kind', s.kind) INTO _was;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM board._audit(who, 'unschedule', 'schedule:' || _unschedule.name, _was);
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._unschedule IS
    'Private: body of unschedule for the checked name who.';
