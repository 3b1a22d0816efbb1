CREATE OR REPLACE FUNCTION board._actions()
RETURNS TABLE (action text, scope text)
LANGUAGE sql
IMMUTABLE
AS $$
    -- What request() does and the scope that an action belongs to: this list is the security (sign
    -- belongs to none of the groups, whoami to every token: see _scope_allows). An action is a
    -- public function, or a look that _show_ACTION gives; what arguments it takes the catalog knows
    -- (_action_arguments). It names nothing that a search path could change, and
    -- pins none, so that the planner can take it into its caller.
    --
    -- Not here: what is the administrator's; lock_row, which reads other tables with its caller's
    -- rights, which here would be the owner's; try_lock and lock_key, which mean something only
    -- inside the caller's own transaction; hmac_sha256, which every client has.
    SELECT v.action, v.scope
      FROM (VALUES
        -- tasks
        ('enqueue', 'agent'),
        ('is_new', 'agent'),
        ('enqueue_many', 'agent'),
        ('enqueue_plan', 'agent'),
        ('claim', 'agent'),
        ('claim_task', 'agent'),
        ('heartbeat', 'agent'),
        ('complete', 'agent'),
        ('complete_many', 'agent'),
        ('fail', 'agent'),
        ('release', 'agent'),
        ('escalate', 'agent'),
        ('next_due', 'viewer'),
        ('explain', 'viewer'),
        -- needs
        ('needed_results', 'viewer'),
        -- desk
        ('claim_escalated', 'operator'),
        ('retry', 'operator'),
        ('cancel', 'operator'),
        ('drop_need', 'operator'),
        ('replay', 'operator'),
        ('reprioritize', 'operator'),
        ('pause', 'operator'),
        ('resume', 'operator'),
        ('configure_kind', 'operator'),
        -- calls
        ('begin_call', 'agent'),
        ('finish_call', 'agent'),
        ('idempotency_key', 'agent'),
        ('set_task_budget', 'operator'),
        -- modes
        ('record_decision', 'agent'),
        ('record_actual', 'agent'),
        ('explain_divergence', 'operator'),
        ('promotion_report', 'viewer'),
        ('promote', 'operator'),
        -- providers
        ('take', 'agent'),
        ('give_back', 'agent'),
        ('throttle', 'agent'),
        ('unthrottle', 'operator'),
        -- schedules
        ('schedule', 'operator'),
        ('unschedule', 'operator'),
        ('fire', 'operator'),
        ('fire_due', 'agent'),
        ('next_occurrence', 'viewer'),
        -- locks
        ('acquire_lock', 'agent'),
        ('renew_lock', 'agent'),
        ('release_lock', 'agent'),
        ('check_lock', 'agent'),
        -- signing
        ('sign', 'sign'),
        ('verify', 'agent'),
        -- events, maintenance
        ('events_since', 'viewer'),
        ('latest_cursor', 'viewer'),
        ('prune', 'operator'),
        ('version', 'viewer'),
        ('help', 'viewer'),
        -- looks
        ('task', 'viewer'),
        ('queue', 'viewer'),
        ('active', 'viewer'),
        ('human_queue', 'viewer'),
        ('history', 'viewer'),
        ('whoami', 'anybody')
      ) AS v (action, scope);
$$;

COMMENT ON FUNCTION board._actions IS 'Private: the fixed list of what request() does.';
