CREATE OR REPLACE FUNCTION board.record_actual(
    kind           text,
    correlation_id text,
    step           text,
    actual         jsonb)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._record_actual(
        NULL, record_actual.kind, record_actual.correlation_id, record_actual.step,
        record_actual.actual);
END;
$$;

COMMENT ON FUNCTION board.record_actual IS
$$Records what the old automation really did at a step. Call it from the old automation, with the
correlation_id that the new one's task carries. It may come before or after the decision, and
before the first task of the kind.

kind            kind of the task that is to replace it
correlation_id  the outside event, 1 to 400 characters
step            name of the step, as the new automation calls it
actual          what was done, as JSON in the shape of the decision (for a step of begin_call: of
                its request); JSON null for "nothing", never SQL NULL

Returns the verdict, as record_decision does; conflict when another actual stands for that step
already: the first one stands, this one is kept in board.comparison_evidence. The same one again
changes nothing. It is recorded in every mode: it is a fact.
Raises 22023 for an argument that is NULL or malformed.

SELECT board.record_actual(kind => 'send_reminder', correlation_id => 'invoice-1042', step =>
    'late_fee', actual => '{"cents": 100}');$$;
