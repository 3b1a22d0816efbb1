CREATE OR REPLACE FUNCTION board.begin_call(
    task_id  uuid,
    agent    text,
    step     text,
    provider text   DEFAULT NULL,
    request  jsonb  DEFAULT NULL,
    account  text   DEFAULT NULL,
    cost     bigint DEFAULT 1,
    attempt  bigint DEFAULT NULL,
    units    jsonb  DEFAULT NULL)
RETURNS board.call_ticket
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._begin_call(
        board._acting_agent(begin_call.agent), begin_call.task_id, begin_call.step,
        begin_call.provider, begin_call.request, begin_call.account, begin_call.cost,
        begin_call.attempt, begin_call.units);
END;
$$;

COMMENT ON FUNCTION board.begin_call IS
$$Asks whether a step of a task may be sent to its provider now, and records it as sent before it
is. Commit before you send: until then nothing is recorded, and the budget stays locked.

task_id   uuid of a task that you hold
agent     name it was claimed under
step      name of the step, 1 to 200 characters; (task, step) is what a call is known by
provider  name of a configured provider; NULL: the kind's. Neither: allowed, you know where to send
request   jsonb to send; NULL: no body. Kept as text, and every later attempt sends that same text
account   the account at the provider whose budget it takes from; NULL: the kind's; '': the
          provider's own
cost      bigint, how many calls it counts as; 1 or more
attempt   bigint, the claim_count that claim returned; NULL: any, unless settings.require_attempt
units     jsonb, what it will use of other units as far as you can tell: '{"token": 3500}'; what it
          did use is told with finish_call(used)

Returns one board.call_ticket. Its decision:
  send           send body to url with headers, then finish_call. The budget has been taken
  done           the step has succeeded before: response is what came of it. Do not send
  suppress       the kind is in dry_run, or in shadow without a sandbox: recorded. Do not send
  sandbox        the kind is in shadow: as send, but url is the provider's sandbox
  wait           no budget: the task has been released until retry_after has passed. Claim another
  over_budget    it would pass the task's budget (configure_kind(task_budget), set_task_budget): the
                 task is now with people (reason budget); while a person holds it, it is only said
  indeterminate  it was sent before, nobody knows what came of it, and the provider does not honour
                 idempotency keys or has forgotten this one. In a later attempt than the one that
                 sent it the task is now with people (reason indeterminate); in the same one, or
                 while a person holds the task, it is only said. Do not send: find out, then tell it
                 with finish_call
A step whose outcome is a failure may be sent again, with the same key and the same body.

Errors: TB001 lease lost, TB002 no such task, TB005 the step was begun with another request,
provider or account (compared as JSON, not as text), TB006 the cost or a unit is above a limit of
the provider, 22023 for an argument out of range or a provider that is not configured, 42501 for a
name that is another role's.
Say SELECT * FROM it: SELECT (board.begin_call(…)).* calls it once per column.
Example: SELECT * FROM board.begin_call('0190b6e2-…', 'agent-7', 'charge', request => '{"n": 1}',
                                         attempt => 1);
Headers: Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), webhook-id, webhook-timestamp
and webhook-signature (Standard Webhooks 1.0); the message id is the idempotency key.$$;
