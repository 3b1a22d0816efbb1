CREATE OR REPLACE FUNCTION board._set_paused(
    who    text,
    target text,
    pause  boolean,
    reason text)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _name text := substring(target FROM '^[a-z]+:(.*)$');
    _changed boolean;
BEGIN
    -- Each target is one row, changed under its own lock; a row that has the wanted state already
    -- is not touched, so a second pause keeps who was first, and leaves no second entry in the log.
    IF length(reason) > 10000 THEN
        PERFORM board._invalid_argument('reason', format('has %s characters', length(reason)),
            'At most 10,000 are kept.');
    END IF;
    IF target = 'board' THEN
        UPDATE board.settings AS s
           SET paused_at = CASE WHEN pause THEN _now END,
               paused_by = CASE WHEN pause THEN who END,
               pause_reason = CASE WHEN pause THEN reason END
         WHERE s.paused <> pause;
        _changed := FOUND;
    ELSIF target LIKE 'kind:%' THEN
        PERFORM board._check_name(_name, 'target');
        PERFORM board._ensure_kind(_name);
        UPDATE board.kinds AS k
           SET paused_at = CASE WHEN pause THEN _now END,
               paused_by = CASE WHEN pause THEN who END,
               pause_reason = CASE WHEN pause THEN reason END
         WHERE k.name = _name AND k.paused <> pause;
        _changed := FOUND;
    ELSIF target LIKE 'provider:%' THEN
        PERFORM board._check_name(_name, 'target');
        INSERT INTO board.providers (name) VALUES (_name)
            ON CONFLICT ON CONSTRAINT providers_pkey DO NOTHING;
        UPDATE board.providers AS p
           SET paused_at = CASE WHEN pause THEN _now END,
               paused_by = CASE WHEN pause THEN who END,
               pause_reason = CASE WHEN pause THEN reason END
         WHERE p.name = _name AND p.paused <> pause;
        _changed := FOUND;
    ELSIF target LIKE 'schedule:%' THEN
        _changed := board._set_schedule_paused(who, _name, pause, reason);
    ELSIF target ~ '^task:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' THEN
        PERFORM board._set_task_paused(who, _name::uuid, pause, reason);
        _changed := false;
    ELSE
        PERFORM board._invalid_argument('target', coalesce('is "' || left(target, 200) || '"', 'is NULL'),
            'Pass board, kind:NAME, provider:NAME, schedule:NAME or task:ID.');
    END IF;
    IF _changed THEN
        PERFORM board._audit(who, CASE WHEN pause THEN 'pause' ELSE 'resume' END, target,
                             CASE WHEN reason IS NOT NULL
                                 THEN jsonb_build_object('reason', reason) END);
    END IF;
    RETURN CASE WHEN pause THEN 'paused' ELSE 'resumed' END;
END;
$$;

COMMENT ON FUNCTION board._set_paused IS
    'Private: body of pause and resume: one target, one row.';
