CREATE OR REPLACE FUNCTION board._set_task_budget(
    who   text,
    id    uuid,
    units jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _units jsonb;
    _was jsonb;
BEGIN
    -- Locks the task: a begin_call of it comes before or after, and goes by what it finds.
    _units := board._check_units(_set_task_budget.units, 'units');
    PERFORM board._task_for_update(_set_task_budget.id);
    SELECT b.units INTO _was FROM board.task_budgets AS b WHERE b.task_id = _set_task_budget.id;
    IF _units = '{}' THEN
        DELETE FROM board.task_budgets AS b WHERE b.task_id = _set_task_budget.id;
    ELSE
        INSERT INTO board.task_budgets (task_id, units)
        VALUES (_set_task_budget.id, _units)
            ON CONFLICT ON CONSTRAINT task_budgets_pkey DO UPDATE SET units = excluded.units;
    END IF;
    PERFORM board._audit(who, 'set_task_budget', 'task:' || _set_task_budget.id,
                         jsonb_build_object('from', _was, 'to', nullif(_units, '{}')));
    RETURN nullif(_units, '{}');
END;
$$;

COMMENT ON FUNCTION board._set_task_budget IS
    'Private: body of set_task_budget for the checked name who.';
