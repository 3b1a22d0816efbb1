CREATE OR REPLACE FUNCTION board.configure(
    notify                    text     DEFAULT NULL,
    max_ttl                   interval DEFAULT NULL,
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
BEGIN
    -- Locks the one row, so that two configurations come one after the other; verbs read it
    -- unlocked.
    IF configure.actor IS NOT NULL THEN
        PERFORM board._acting_agent(configure.actor, 'actor');
    END IF;
    PERFORM board._invalid_argument('notify', format('is "%s"', left(configure.notify, 100)),
        'Pass each, coalesced or off.')
      WHERE configure.notify NOT IN ('each', 'coalesced', 'off');
    PERFORM board._invalid_argument('max_ttl', 'is ' || configure.max_ttl,
        'Pass more than nothing and at most 10 years.')
      WHERE configure.max_ttl <= '0' OR configure.max_ttl > '10 years';
    PERFORM board._invalid_argument('retain_events', 'is ' || configure.retain_events,
                          'Pass more than nothing and at most 1000 years.')
      WHERE configure.retain_events <= '0' OR configure.retain_events > '1000 years';
    PERFORM board._invalid_argument('reset', 'names what cannot be reset',
                          'Pass names out of: notify, max_ttl, log_heartbeats, require_attempt, '
                          || 'require_registered_agents, retain_events.')
      WHERE NOT configure.reset <@ ARRAY['notify', 'max_ttl', 'log_heartbeats', 'require_attempt',
                                         'require_registered_agents', 'retain_events']
         OR array_position(configure.reset, NULL) IS NOT NULL;
    SELECT s.* INTO _was FROM board.settings AS s FOR UPDATE;
    UPDATE board.settings AS s
       SET notify = coalesce(configure.notify,
               CASE WHEN 'notify' = ANY (reset) THEN 'each' ELSE s.notify END),
           max_ttl = coalesce(configure.max_ttl,
               CASE WHEN 'max_ttl' = ANY (reset) THEN '7 days' ELSE s.max_ttl END),
           log_heartbeats = coalesce(configure.log_heartbeats,
               s.log_heartbeats AND ('log_heartbeats' = ANY (reset)) IS NOT TRUE),
           require_attempt = coalesce(configure.require_attempt,
               s.require_attempt AND ('require_attempt' = ANY (reset)) IS NOT TRUE),
           require_registered_agents = coalesce(configure.require_registered_agents,
               s.require_registered_agents
                   AND ('require_registered_agents' = ANY (reset)) IS NOT TRUE),
           retain_events = coalesce(configure.retain_events,
               CASE WHEN 'retain_events' = ANY (reset) THEN NULL ELSE s.retain_events END)
    RETURNING s.* INTO _settings;
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
log_heartbeats             boolean, whether heartbeats are kept as events (false)
require_attempt            boolean, whether holders must pass their attempt (false)
require_registered_agents  boolean, whether only registered names may act (false)
retain_events              interval, age from which prune_events may drop events (none: never)
reset                      text[], names of arguments to set back to the value in parentheses
actor                      who decides, for the log; NULL: the database role

Errors: 22023 for an argument out of range, 42501 for a name that is another role's.
Example: SELECT * FROM board.configure(notify => 'coalesced');$$;
