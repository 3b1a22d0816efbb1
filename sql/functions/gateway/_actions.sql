CREATE OR REPLACE FUNCTION board._actions()
RETURNS TABLE (action text, wing text, scope text, arguments text[])
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- What request() does: the action, the wing whose _request_WING runs it, the scope it belongs
    -- to, and its arguments: "name type" or "name type = default", the default as JSON. An argument
    -- of type who is the token's agent. tests/test_access.py holds this list against the functions'
    -- own names, types and defaults.
    --
    -- Not here: what is the administrator's; lock_row, which reads other tables with its caller's
    -- rights, which here would be the owner's; try_lock and lock_key, which mean something only
    -- inside the caller's own transaction; hmac_sha256, which every client has.
    SELECT v.action, v.wing, v.scope, v.arguments
      FROM (VALUES
        -- tasks
        ('enqueue', 'tasks', 'agent', ARRAY[
            'kind text', 'payload jsonb = {}', 'priority int = 0', 'run_at timestamptz = null',
            'unique_key text = null', 'correlation_id text = null']),
        ('enqueue_many', 'tasks', 'agent', ARRAY[
            'kind text', 'payloads jsonb[]', 'priority int = 0', 'run_at timestamptz = null']),
        ('claim', 'tasks', 'agent', ARRAY[
            'agent who', 'ttl interval = "2 minutes"', 'kinds text[] = null', 'max_tasks int = 1']),
        ('claim_task', 'tasks', 'agent', ARRAY[
            'id uuid', 'agent who', 'ttl interval = "2 minutes"']),
        ('heartbeat', 'tasks', 'agent', ARRAY[
            'id uuid', 'agent who', 'ttl interval = "2 minutes"', 'progress jsonb = null',
            'attempt int = null']),
        ('complete', 'tasks', 'agent', ARRAY[
            'id uuid', 'agent who', 'result jsonb = null', 'attempt int = null']),
        ('complete_many', 'tasks', 'agent', ARRAY['ids uuid[]', 'agent who']),
        ('fail', 'tasks', 'agent', ARRAY[
            'id uuid', 'agent who', 'payload jsonb = null', 'permanent boolean = false',
            'retry_in interval = null', 'attempt int = null']),
        ('release', 'tasks', 'agent', ARRAY[
            'id uuid', 'agent who', 'delay interval = "0"', 'attempt int = null']),
        ('escalate', 'tasks', 'agent', ARRAY[
            'id uuid', 'agent who', 'payload jsonb = null', 'attempt int = null']),
        ('next_due', 'tasks', 'viewer', ARRAY['kinds text[] = null']),
        ('explain', 'tasks', 'viewer', ARRAY['id uuid']),
        -- desk
        ('claim_escalated', 'desk', 'operator', ARRAY[
            'agent who', 'ttl interval = "1 hour"', 'id uuid = null']),
        ('retry', 'desk', 'operator', ARRAY['id uuid', 'actor who', 'note jsonb = null']),
        ('cancel', 'desk', 'operator', ARRAY['id uuid', 'actor who', 'note jsonb = null']),
        ('replay', 'desk', 'operator', ARRAY['id uuid', 'actor who', 'as_new boolean = false']),
        ('reprioritize', 'desk', 'operator', ARRAY['id uuid', 'actor who', 'priority int']),
        ('pause', 'desk', 'operator', ARRAY['target text', 'actor who', 'reason text = null']),
        ('resume', 'desk', 'operator', ARRAY['target text', 'actor who']),
        ('configure_kind', 'desk', 'operator', ARRAY[
            'name text', 'max_failures int = null', 'max_lapses int = null',
            'retry_delay interval = null', 'retry_delay_max interval = null',
            'max_in_progress int = null', 'provider text = null', 'provider_account text = null',
            'mode text = null', 'min_comparisons int = null', 'min_shadow_time interval = null',
            'min_agreement numeric = null', 'comparison_grace interval = null',
            'ignored_paths text[] = null', 'reset text[] = null',
            'actor who']),
        -- events
        ('events_since', 'events', 'viewer', ARRAY['since text = null', 'max_events int = 1000']),
        ('latest_cursor', 'events', 'viewer', ARRAY[]::text[]),
        -- providers
        ('take', 'providers', 'agent', ARRAY['provider text', 'account text = ""', 'cost int = 1']),
        ('give_back', 'providers', 'agent', ARRAY[
            'provider text', 'taken_at timestamptz', 'account text = ""', 'cost int = 1']),
        ('throttle', 'providers', 'agent', ARRAY[
            'provider text', 'account text = ""', 'retry_after interval = "1 minute"']),
        ('unthrottle', 'providers', 'operator', ARRAY[
            'provider text', 'account text = ""', 'actor who']),
        -- calls
        ('begin_call', 'calls', 'agent', ARRAY[
            'task_id uuid', 'agent who', 'step text', 'provider text = null', 'request jsonb = null',
            'account text = ""', 'cost int = 1', 'attempt int = null']),
        ('finish_call', 'calls', 'agent', ARRAY[
            'task_id uuid', 'agent who', 'step text', 'response jsonb', 'succeeded boolean = true',
            'attempt int = null']),
        ('idempotency_key', 'calls', 'agent', ARRAY['task_id uuid', 'step text']),
        -- modes
        ('record_decision', 'modes', 'agent', ARRAY[
            'task_id uuid', 'agent who', 'step text', 'decision jsonb', 'attempt int = null']),
        ('record_actual', 'modes', 'agent', ARRAY[
            'kind text', 'correlation_id text', 'step text', 'actual jsonb']),
        ('explain_divergence', 'modes', 'operator', ARRAY[
            'kind text', 'correlation_id text', 'step text', 'actor who', 'note text']),
        ('promotion_report', 'modes', 'viewer', ARRAY['kind text']),
        ('promote', 'modes', 'operator', ARRAY[
            'kind text', 'mode text', 'actor who', 'override_reason text = null']),
        -- schedules
        ('schedule', 'schedules', 'operator', ARRAY[
            'name text', 'cron text', 'kind text', 'payload jsonb = {}', 'timezone text = "UTC"',
            'priority bigint = 0', 'missed text = "one"', 'overlap text = "skip"',
            'starts_at timestamptz = null', 'ends_at timestamptz = null', 'actor who']),
        ('unschedule', 'schedules', 'operator', ARRAY['name text', 'actor who']),
        ('fire', 'schedules', 'operator', ARRAY['name text', 'actor who']),
        ('fire_due', 'schedules', 'agent', ARRAY[]::text[]),
        ('next_occurrence', 'schedules', 'viewer', ARRAY[
            'cron text', 'after timestamptz', 'timezone text = "UTC"']),
        -- locks
        ('acquire_lock', 'locks', 'agent', ARRAY[
            'resource text', 'agent who', 'ttl interval = "2 minutes"']),
        ('renew_lock', 'locks', 'agent', ARRAY[
            'resource text', 'agent who', 'token bigint', 'ttl interval = "2 minutes"']),
        ('release_lock', 'locks', 'agent', ARRAY['resource text', 'agent who', 'token bigint']),
        ('check_lock', 'locks', 'agent', ARRAY['resource text', 'token bigint']),
        -- access
        ('sign', 'access', 'agent', ARRAY['key_name text', 'message_id text', 'body text']),
        ('verify', 'access', 'agent', ARRAY[
            'key_name text', 'headers jsonb', 'body text', 'tolerance interval = "5 minutes"']),
        -- maintenance
        ('prune', 'maintenance', 'operator', ARRAY['older_than interval', 'max_tasks int = 10000']),
        ('version', 'maintenance', 'viewer', ARRAY[]::text[]),
        ('help', 'maintenance', 'viewer', ARRAY['topic text = null']),
        -- to look at, not functions
        ('task', 'views', 'viewer', ARRAY['id uuid']),
        ('queue', 'views', 'viewer', ARRAY['max_tasks int = 100']),
        ('active', 'views', 'viewer', ARRAY['max_tasks int = 100']),
        ('human_queue', 'views', 'viewer', ARRAY['max_tasks int = 100']),
        ('history', 'views', 'viewer', ARRAY['id uuid'])
      ) AS v (action, wing, scope, arguments);
$$;

COMMENT ON FUNCTION board._actions IS 'Private: the fixed list of what request() does.';
