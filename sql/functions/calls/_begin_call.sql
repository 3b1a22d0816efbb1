CREATE OR REPLACE FUNCTION board._begin_call(
    who      text,
    task_id  uuid,
    step     text,
    provider text,
    request  jsonb,
    account  text,
    cost     bigint,
    attempt  bigint,
    units    jsonb)
RETURNS board.call_ticket
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _kind board.kinds;
    _provider board.providers;
    _step record;
    _first board.calls;
    _last board.calls;
    _call board.calls;
    _attempt int;
    _needed jsonb;
    _excess jsonb;
    _granted boolean;
    _retry_after interval;
BEGIN
    -- Locks: the task, then the step's calls, then (in _take) the budgets, after which nothing is
    -- waited for. The task's lock puts two begins of a step, or a begin and a finish, one after the
    -- other, and every statement below starts when the first is over: committed, its call is seen;
    -- rolled back or dead, there is none and this one goes in its place. The lock on the calls is
    -- for REPEATABLE READ, whose snapshot may be older than the task's lock: a call that was
    -- finished since the snapshot is 40001 there, one that was begun since is (in _record_call).
    -- kinds and providers are read and not locked: a change counts from the next call on.
    PERFORM board._check_name(_begin_call.step, 'step');
    PERFORM board._check_name(_begin_call.account, 'account') WHERE _begin_call.account <> '';
    PERFORM board._check_payload(_begin_call.request, 'request');
    _needed := board._needed_units(_begin_call.cost, _begin_call.units);
    _attempt := board._to_int(_begin_call.attempt, 'attempt');
    _task := board._held_task(_begin_call.task_id, who, _attempt);
    _kind := board._kind_policy(_task.kind);

    _step := board._step_for_update(_task.id, _begin_call.step, _kind.mode);
    SELECT c.* INTO _first
      FROM board.calls AS c
     WHERE c.task_id = _task.id AND c.step = _begin_call.step AND c.number = _step.first_number;
    SELECT c.* INTO _last
      FROM board.calls AS c
     WHERE c.task_id = _task.id AND c.step = _begin_call.step AND c.number = _step.last_number;
    _call.number := _step.number;
    _call.task_id := _task.id;
    _call.step := _begin_call.step;
    _call.mode := _kind.mode;
    _call.attempt := _task.claim_count;
    _call.agent := who;
    _call.idempotency_key := board.idempotency_key(_task.id, _begin_call.step);
    _call.cost := _begin_call.cost;
    IF _first.number IS NULL THEN
        _call.provider := coalesce(_begin_call.provider, _kind.provider);
        _call.account := coalesce(_begin_call.account,
            CASE WHEN _call.provider = coalesce(_kind.provider, _call.provider)
                 THEN coalesce(_task.account, _kind.provider_account) END, '');
        _call.body := _begin_call.request::text;
    ELSE
        -- A step goes where, and says what, it did first: byte for byte, and whatever the kind's
        -- provider has become.
        PERFORM board._check_same_call(_first, _begin_call.provider, _begin_call.account,
                                       _begin_call.request);
        _call.provider := _first.provider;
        _call.account := _first.account;
        _call.body := _first.body;
    END IF;

    IF _step.done THEN
        RETURN board._ticket('done', _call, response => _step.response);
    END IF;
    IF _call.provider IS NOT NULL THEN
        PERFORM board._check_provider(_call.provider, _call.account);
        PERFORM board._check_needed(_call.provider, _needed);
        SELECT p.* INTO _provider FROM board.providers AS p WHERE p.name = _call.provider;
    END IF;

    IF _call.mode <> 'live' THEN
        IF _call.mode = 'shadow' AND _provider.sandbox_url IS NOT NULL THEN
            _call.decision := 'sandbox';
            _call.url := _provider.sandbox_url;
        ELSE
            _call.decision := 'suppress';
            _call.url := _provider.base_url;
        END IF;
        -- Suppressed twice in one attempt is one call that would have been made.
        IF _call.decision = 'sandbox' OR _last.attempt IS DISTINCT FROM _call.attempt THEN
            PERFORM board._record_call(_call, _last.number);
            PERFORM board._record_decided(_task, _call.step, _begin_call.request);
        END IF;
        RETURN board._ticket(_call.decision, _call, _provider);
    END IF;

    IF _step.unknown_since IS NOT NULL
        AND NOT board._key_is_known(_provider.honours_idempotency, _provider.idempotency_window,
                                    _step.unknown_since)
    THEN
        -- Sent, outcome unknown, and to send it again might do it twice: the provider knows no
        -- keys, or has forgotten this one, which it first saw with the first call whose outcome
        -- nobody knows. The attempt that sent it may still find out, and so may a person who has
        -- the task from the human queue.
        IF _last.attempt < _call.attempt AND _task.escalated_at IS NULL THEN
            PERFORM board._escalate(who, _task.id, board._unknown_outcome_note(_last),
                                    _call.attempt, 'indeterminate');
        END IF;
        RETURN board._ticket('indeterminate', _call);
    END IF;

    _excess := board._budget_excess(_task.id, _kind.task_budget, _needed);
    IF _excess IS NOT NULL THEN
        -- Not for the agent to decide; a person who holds the task is only told.
        IF _task.escalated_at IS NULL THEN
            PERFORM board._escalate(who, _task.id,
                                    _excess || jsonb_build_object('step', _call.step),
                                    _call.attempt, 'budget');
        END IF;
        RETURN board._ticket('over_budget', _call);
    END IF;

    IF _call.provider IS NULL THEN
        _call.usage_id := board._record_usage(who, NULL, _call.account, _needed, clock_timestamp(),
                                              _task.id, _call.step, _task.kind);
    ELSE
        SELECT t.granted, t.retry_after, t.usage_id INTO _granted, _retry_after, _call.usage_id
          FROM board._take(who, _call.provider, _call.account, _needed, _task.id, _call.step,
                           _task.kind) AS t;
        IF _granted IS NOT TRUE THEN
            PERFORM board._release(who, _task.id, _retry_after, _call.attempt, NULL);
            -- Those behind it that need the same budget would only be told the same.
            IF _call.provider = _kind.provider
               AND _call.account = coalesce(_task.account, _kind.provider_account)
            THEN
                PERFORM board._postpone(
                    board._ready_of_account(_task.kind, _call.account, _kind.provider_account),
                    clock_timestamp() + _retry_after);
            END IF;
            RETURN board._ticket('wait', _call, retry_after => _retry_after);
        END IF;
        -- The budget may have been waited for. A lease that lapsed meanwhile is lost, and what was
        -- taken goes back with this transaction.
        PERFORM board._check_lease(_task, who, _attempt);
    END IF;
    _call.decision := 'send';
    _call.url := _provider.base_url;
    PERFORM board._record_call(_call, _last.number);
    RETURN board._ticket('send', _call, _provider);
END;
$$;

COMMENT ON FUNCTION board._begin_call IS
    'Private: body of begin_call for the checked name who.';
