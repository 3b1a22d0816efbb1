CREATE OR REPLACE FUNCTION board._budget_excess(
    task_id     uuid,
    kind_budget jsonb,
    needed      jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _budget jsonb;
    _unit text;
    _most bigint;
    _used numeric;
BEGIN
    -- Locks nothing: the caller has locked the task, and its calls are what uses its budget. A unit
    -- that this call does not name may have been passed by one that used more than it estimated.
    SELECT b.units INTO _budget
      FROM board.task_budgets AS b WHERE b.task_id = _budget_excess.task_id;
    _budget := coalesce(kind_budget, '{}') || coalesce(_budget, '{}');
    FOR _unit, _most IN
        SELECT e.key, e.value::bigint FROM jsonb_each(_budget) AS e ORDER BY e.key
    LOOP
        SELECT coalesce(sum((u.units ->> _unit)::bigint), 0) INTO _used
          FROM board.usage_records AS u
         WHERE u.task_id = _budget_excess.task_id;
        IF _used + coalesce((needed ->> _unit)::bigint, 0) > _most THEN
            RETURN jsonb_build_object('unit', _unit, 'task_budget', _most, 'used', _used,
                'needed', coalesce((needed ->> _unit)::bigint, 0),
                'todo', 'allow it more with set_task_budget, then retry; or cancel it');
        END IF;
    END LOOP;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._budget_excess IS
    'Private: which unit of its budget (its own, else the kind''s) a task would pass with a call '
    'that needs that much: the payload of its escalation; NULL: none.';
