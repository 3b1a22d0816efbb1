CREATE OR REPLACE FUNCTION board.configure(
    notify                    text     DEFAULT NULL,
    max_ttl                   interval DEFAULT NULL,
    max_payload               bigint   DEFAULT NULL,
    log_heartbeats            boolean  DEFAULT NULL,
    require_attempt           boolean  DEFAULT NULL,
    require_registered_agents boolean  DEFAULT NULL,
    retain_events             interval DEFAULT NULL,
    reset                     text[]   DEFAULT NULL,
    actor                     text     DEFAULT NULL)
RETURNS board.settings
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _was board.settings;
    _settings board.settings;
    _rule text;
BEGIN
    -- Locks the one row, so that two configurations come one after the other; verbs read it
    -- unlocked.
    PERFORM board._acting_agent(configure.actor, 'actor') WHERE configure.actor IS NOT NULL;
    SELECT s.* INTO _was FROM board.settings AS s FOR UPDATE;
    _settings := board._changed_row(
        _was,
        jsonb_build_object(
            'notify', configure.notify,
            'max_ttl', configure.max_ttl,
            'max_payload', configure.max_payload,
            'log_heartbeats', configure.log_heartbeats,
            'require_attempt', configure.require_attempt,
            'require_registered_agents', configure.require_registered_agents,
            'retain_events', configure.retain_events),
        configure.reset,
        'board.settings');
    BEGIN
        UPDATE board.settings AS s
           SET notify = _settings.notify,
               max_ttl = _settings.max_ttl,
               max_payload = _settings.max_payload,
               log_heartbeats = _settings.log_heartbeats,
               require_attempt = _settings.require_attempt,
               require_registered_agents = _settings.require_registered_agents,
               retain_events = _settings.retain_events;
    EXCEPTION
        WHEN check_violation THEN
            GET STACKED DIAGNOSTICS _rule = CONSTRAINT_NAME;
            PERFORM board._check_violation('board.settings', _rule, to_jsonb(_settings));
    END;
    PERFORM board._audit(configure.actor, 'configure', 'board',
                         board._changed_fields(to_jsonb(_was), to_jsonb(_settings)));
    RETURN _settings;
END;
$$;

COMMENT ON FUNCTION board.configure IS
$$Sets the board's own policy and returns it. Pass arguments by name: only those passed change.

notify                     'each' (one NOTIFY per transition), 'coalesced' (a doorbell per busy
                           moment, and one by one only what makes work claimable) or 'off' (each)
max_ttl                    interval, longest lease anybody may ask for (7 days)
max_payload                bigint, most bytes that a JSON value which is kept may print as, 10,000
                           to 67,108,864 (1,048,576)
log_heartbeats             boolean, whether heartbeats are kept as events (true)
require_attempt            boolean, whether holders must pass their attempt (false)
require_registered_agents  boolean, whether only registered names may act (false)
retain_events              interval, age from which prune_events may drop events (none: never)
reset                      text[], names of arguments to set back to the value in parentheses
actor                      who decides, for the log; NULL: the database role

Errors: 22023 for an argument out of range, 42501 for a name that is another role's.
Example: SELECT * FROM board.configure(notify => 'coalesced');$$;
