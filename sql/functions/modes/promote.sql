CREATE OR REPLACE FUNCTION board.promote(
    kind            text,
    mode            text,
    actor           text,
    override_reason text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._promote(
        board._acting_agent(promote.actor, 'actor'), promote.kind, promote.mode,
        promote.override_reason);
END;
$$;

COMMENT ON FUNCTION board.promote IS
$$Moves a kind to another mode. Up goes one step at a time: dry_run to shadow freely, shadow to live
only when board.promotion_report() has nothing in unmet. Down is always allowed, also for a kind
that has no task yet: that is how a new automation begins in dry_run. Tasks that are in progress
go on, their next call under the new mode.

kind             the kind
mode             dry_run, shadow or live
actor            who decides
override_reason  why it may go live although the report says no; goes into the audit log together
                 with what was unmet

Returns the mode. A kind that is in that mode already stays as it is, and nothing is logged. Every
change is one row of board.audit_log with the figures at that moment, and starts the count of
comparisons again.
Raises TB007 with every unmet reason in its detail, 22023 for an unknown mode, an unknown kind (to
live) or an override_reason without text, 42501 for an actor name that is another role's.

SELECT board.promote(kind => 'send_reminder', mode => 'shadow', actor => 'ana');$$;
