CREATE OR REPLACE FUNCTION board._record_usage(
    who      text,
    provider text,
    account  text,
    needed   jsonb,
    at       timestamptz,
    task_id  uuid DEFAULT NULL,
    step     text DEFAULT NULL,
    kind     text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _caller text := board._caller();
    _id bigint;
BEGIN
    -- Locks the row that it makes. It is made while the budgets are locked, so that the ids of
    -- what one budget counts are in the order of counting.
    INSERT INTO board.usage_records (provider, account, taken_at, units, refundable, task_id, step,
                                     kind, agent, db_user)
    VALUES (_record_usage.provider, _record_usage.account, _record_usage.at, needed, needed,
            _record_usage.task_id, _record_usage.step, _record_usage.kind, who, _caller)
    RETURNING id INTO _id;
    RETURN _id;
END;
$$;

COMMENT ON FUNCTION board._record_usage IS
    'Private: keeps who used what, as granted at that moment; returns the id of the record.';
