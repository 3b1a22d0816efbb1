CREATE OR REPLACE FUNCTION board.explain_divergence(
    kind           text,
    correlation_id text,
    step           text,
    actor          text,
    note           text)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._explain_divergence(
        board._acting_agent(explain_divergence.actor, 'actor'), explain_divergence.kind,
        explain_divergence.correlation_id, explain_divergence.step, explain_divergence.note);
END;
$$;

COMMENT ON FUNCTION board.explain_divergence IS
$$Says that a person has understood why the two automations differ at a step (or why one of them is
silent). It still counts as a disagreement, but no longer stands in the way of a promotion by
itself.

kind, correlation_id, step  as in board.divergences
actor                       who says so
note                        the explanation, 1 to 10,000 characters

Returns 'explained'. Said again by the same person in the same words it changes nothing; another
explanation takes the place of the first. Both are in board.audit_log. When a side of that step
changes later, the explanation falls away.
Raises 22023 when there is no such step or an argument is NULL or malformed, TB003 when the two
sides agree, 42501 for an actor name that is another role's.

SELECT board.explain_divergence(kind => 'send_reminder', correlation_id => 'invoice-1042', step =>
    'late_fee', actor => 'ana', note => 'the old script rounds half a cent down');$$;
