CREATE OR REPLACE FUNCTION board.finish_call(
    task_id   uuid,
    agent     text,
    step      text,
    response  jsonb,
    succeeded boolean DEFAULT true,
    attempt   bigint  DEFAULT NULL,
    used      jsonb   DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._finish_call(board._acting_agent(finish_call.agent), finish_call.task_id,
                              finish_call.step, finish_call.response, finish_call.succeeded,
                              finish_call.attempt, finish_call.used);
END;
$$;

COMMENT ON FUNCTION board.finish_call IS
$$Tells what came of a call that you began. It reports a fact, so it needs no lease: it is kept
after the lease has lapsed and after the task has been cancelled or finished.

task_id    uuid of the task
agent      name the call was begun under
step       name of the step
response   jsonb, what the provider answered; a later begin_call of the step returns it with done
succeeded  boolean: true, it took effect and the step is done; false, you know that it did not, and
           the step may be sent again. When you do not know (a timeout), do not call finish_call
attempt    bigint, the attempt that began the call; NULL: your latest, unless
           settings.require_attempt
used       jsonb, what the call really used, as the provider billed it: '{"token": 2900}'. It takes
           the place of what begin_call estimated for these units ("call", too: 0 when it was never
           sent). Less is given back, where its sub-window still counts; more counts from now on,
           also above the limit. Said again it is corrected; NULL: as estimated

Returns 'recorded': this is the step's outcome now; or 'late': kept as evidence beside the outcome,
because a later attempt has begun the step or the step has succeeded already. Said twice with the
same arguments: the same answer and nothing new.
Somebody who took the task from the human queue may tell the outcome of a call that another began.

Errors: TB002 no such task, TB003 you have not begun this step, 22023 for an argument out of range,
42501 for a name that is another role's.
Example: SELECT board.finish_call('0190b6e2-…', 'agent-7', 'charge', '{"charge": "ch_1"}',
                                 attempt => 1);$$;
