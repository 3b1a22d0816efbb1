CREATE OR REPLACE FUNCTION board._help_topic(topic text)
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Texts only, each fit for a window of 100 columns and 24 lines.
    SELECT CASE topic
        WHEN 'start' THEN
$help$board: a task board in this database. One table of tasks, many agents, people, no collisions.

Work as an agent (pick a name and keep it):
  SELECT id, kind, payload, claim_count FROM board.claim('agent-7', '2 minutes');
  … no row: nothing to do. Sleep until SELECT board.next_due(), or until a NOTIFY on task_events.
  SELECT board.heartbeat(ID, 'agent-7', attempt => CLAIM_COUNT);      -- NULL: stop, it is not yours
  SELECT board.complete(ID, 'agent-7', '{"any": "result"}', attempt => CLAIM_COUNT);
  SELECT board.fail(ID, 'agent-7', '{"error": "what went wrong"}', attempt => CLAIM_COUNT);
Put work on the board:
  SELECT board.enqueue('send_invoice', '{"order": 17}');
Look around:
  TABLE board.queue;  (waiting, active, human_queue, kind_stats and health likewise)
  SELECT at, what FROM board.history WHERE task_id = ID;   SELECT board.explain(ID);

Topics: SELECT board.help('agents'), 'desk', 'events', 'errors', 'providers', 'calls', 'modes',
'needs', 'schedules', 'locks', 'access', 'maintenance'. The name of any function or view is one too:
help('claim').$help$
        WHEN 'agents' THEN
$help$The life of an agent

1. claim('NAME', TTL, kinds, max_tasks) gives tasks under a lease until leased_until. claim_count is
   the attempt: pass it to every verb (attempt => …). Without it a verb of yours that comes too late
   counts for the next lease of your name; configure(require_attempt => true) refuses it.
2. Work. Before leased_until comes, heartbeat(ID, NAME, attempt => N). NULL means the task is not
   yours any more: stop, do not write anything. progress => JSON shows people how far you are.
3. End with complete(ID, NAME, RESULT), fail(ID, NAME, WHY), release(ID, NAME, DELAY) or
   escalate(ID, NAME, QUESTION). Once is enough; complete may be said again if the answer was lost.
4. The third fail brings the task to a person (kinds.max_failures); permanent => true at once.
5. If you die, say nothing: the lease lapses and the next claim by anybody takes the task back.
6. How many is max_tasks: SELECT … FROM board.claim('NAME', max_tasks => 50) LIMIT 5 leases fifty.
Each verb in its own short transaction. 40001 and 40P01 mean: the same call again.$help$
        WHEN 'desk' THEN
$help$For people

TABLE board.human_queue;                       what waits for a person
SELECT * FROM board.claim_escalated('maria');  take the next card (or id => …)
  then complete(…), retry(…) (back to the agents, strikes cleared) or cancel(…)
SELECT board.pause('kind:send_invoice', 'maria', 'why');
  resume(…) ends it. Targets: board, kind:, provider:, schedule:NAME, task:ID
SELECT board.reprioritize(ID, 'maria', 9);     SELECT board.replay(ID, 'maria');
SELECT * FROM board.configure_kind('send_invoice', max_failures => 5, retry_delay => '10 seconds');
TABLE board.kind_stats;  TABLE board.crash_loops;  TABLE board.audit_log;$help$
        WHEN 'events' THEN
$help$The log and the feed

board.task_events has every transition of every task, for ever. To follow it, keep a cursor:
  SELECT board.latest_cursor();                         from now, or NULL: from the beginning
  SELECT * FROM board.events_since(CURSOR, 1000);       each event once; keep the last row's cursor
A row of type resync: read the state anew from board.tasks, go on from that row's cursor.
LISTEN task_events rings when there is something: {"taskId", "type", "kind", "seq"}. It is a hint;
the tables are the truth. settings.notify: each, coalesced or off.$help$
        WHEN 'providers' THEN
$help$Providers and their budgets

SELECT * FROM board.configure_provider('acme', base_url => 'https://api.acme.test/v1');
SELECT * FROM board.set_limit('acme', '1 second', 10);
SELECT * FROM board.set_limit('acme', '1 minute', 90000, unit => 'token');
SELECT * FROM board.configure_kind('send_invoice', provider => 'acme');
  Each limit holds in every window of its length; each account ('' or a name) has its own budget.
  claim gives out tasks of a kind only while its provider would grant a call; begin_call takes one.
By hand, in a transaction of its own, before the call:
  SELECT granted, retry_after FROM board.take('acme', units => '{"token": 900}');  false: wait
Estimate with begin_call(units => …), settle with finish_call(used => '{"token": 1200}').
It answered 429:  SELECT board.throttle('acme', retry_after => '30 seconds');
Not sent after all:  SELECT board.give_back('acme', taken_at => MOMENT_BEFORE_THE_TAKE);
Stop, go on:  board.pause('provider:acme', 'maria', 'why'), resume(…); board.unthrottle('acme')
TABLE board.provider_budgets;            used, remaining, next free, why not now
SELECT unit, sum(units) FROM board.usage WHERE task_id = ID GROUP BY unit;$help$
        WHEN 'calls' THEN
$help$Outbound calls: written down before they are made

SELECT * FROM board.begin_call(ID, 'agent-7', 'charge', request => '{"cents": 1700}', attempt => N);
  commit, then look at decision:
  send, sandbox   send body to url with headers (body byte for byte), then finish_call
  done            it has succeeded before: use response      suppress   dry-run: do not send
  wait            no budget: the task went back until then; claim another one
  over_budget     the task's task_budget: it is with people now   indeterminate   sent before,
                  outcome unknown, the provider keeps no keys: do not send
SELECT board.finish_call(ID, 'agent-7', 'charge', '{"charge": "ch_1"}', attempt => N);
  succeeded => false only if you know that it did not take effect: then it may be sent again. After
  a timeout say nothing, fail the task. recorded: it counts. late: kept as evidence.
A step is one request for good: another one is TB005; use another step name.
People: claim_escalated, look the key up at the provider, finish_call (true or false), then retry.
SELECT at, what FROM board.history WHERE task_id = ID;   SELECT * FROM board.calls WHERE …$help$
        WHEN 'modes' THEN
$help$A new automation proves itself beside the old one before it acts

SELECT board.promote('KIND', 'dry_run', 'maria');      first of all: a new kind is live
enqueue(…, correlation_id => 'EVENT')                  the event that both automations answer to
begin_call records what it would send by itself (suppress: do not send; sandbox: send there)
SELECT board.record_decision(ID, 'NAME', 'STEP', '{"any": "decision"}', attempt => CLAIM_COUNT);
SELECT board.record_actual('KIND', 'EVENT', 'STEP', '{"what": "the old one did"}');
  → matched, ignored, diverged, missing (one side yet), conflict (another record stands), live
SELECT * FROM board.configure_kind('KIND', ignored_paths => '{$.at,$.items[*].id}');   noise
SELECT board.promote('KIND', 'shadow', 'maria');       now it counts; any change starts it again
SELECT * FROM board.promotion_report('KIND');          unmet: every reason why not live yet
TABLE board.divergences;                               what a person has to understand, and then:
SELECT board.explain_divergence('KIND', 'EVENT', 'STEP', 'maria', 'why');
SELECT board.promote('KIND', 'live', 'maria');         TB007 lists what is missing; down: free$help$
        WHEN 'needs' THEN
$help$Tasks that wait for tasks

SELECT board.enqueue('review', needs => ARRAY[ID]::uuid[]);     blocked until ID is completed
SELECT * FROM board.enqueue_plan('[{"name": "draft", "kind": "write"},
                                   {"name": "check", "kind": "review", "needs": ["draft"]}]');
SELECT board.enqueue('mail', sequence_key => 'customer_17');    one after another
Break down what you hold: enqueue the parts, then
  SELECT board.release(ID, 'agent-7', attempt => CLAIM_COUNT, needs => ARRAY[PART, PART]::uuid[]);
and whoever claims ID when they are done asks what they gave:
  SELECT task_id, kind, result FROM board.needed_results(ID);
TABLE board.blocked;   SELECT board.explain(ID);                what waits, and for what
A need that is cancelled brings those that wait for it to the human queue: retry runs them without.
  SELECT board.cancel(ID, 'maria', dependents => true);         a task and all that need it
  SELECT board.drop_need(ID, NEED, 'maria');                    go on without that one$help$
        WHEN 'schedules' THEN
$help$Recurring work

SELECT board.schedule('nightly', '0 3 * * *', 'report', timezone => 'Europe/Berlin');
  minute hour day month weekday, @hourly … @yearly, @every 10 minutes. Said again: it is changed
  missed => 'one' (one task for all that was missed), 'all' (each), 'none'
  overlap => 'skip' (no second task while the last is open), 'allow';  starts_at, ends_at
TABLE board.schedules;                         next, last, overdue_since, the expression in words
SELECT board.next_occurrence('0 9 * * 1-5', clock_timestamp(), 'Europe/Berlin');     try one out
SELECT board.fire('nightly', 'maria');         one now, by hand
SELECT board.pause('schedule:nightly', 'maria', 'why'), resume(…);
SELECT board.unschedule('nightly', 'maria');   its tasks stay
Nothing runs in the background: whoever claims next fires what is due, each occurrence once. Where
nobody claims, ring once a minute from cron or pg_cron:  SELECT board.fire_due();
tasks.scheduled_for is the occurrence; correlation_id names it: nightly@2026-12-01T02:00:00Z$help$
        WHEN 'locks' THEN
$help$Locks on anything that has a name

Within one transaction (gone with commit, rollback or crash):
  SELECT board.lock_row('orders', '42');      the row, locked; wait => false: NULL if another has it
  SELECT board.try_lock('order_42');          true or false, never waits; read in a later statement
To think in between, across transactions:
  SELECT board.acquire_lock('order_42', 'agent-7', '2 minutes');  your TOKEN; NULL: taken, ask later
  SELECT board.renew_lock('order_42', 'agent-7', TOKEN);           NULL: not yours any more, stop
  BEGIN; SELECT board.check_lock('order_42', TOKEN); UPDATE …; COMMIT;    TB008: write nothing
  SELECT board.release_lock('order_42', 'agent-7', TOKEN);         false: it was not yours any more
A holder that dies keeps it until the ttl ends; the next token is higher, and the old one is stale.
The same agent may take it again: new token, old one stale. Two workers need two names.
Agents must agree on one way per sort of resource: acquire_lock does not see try_lock or lock_row.
TABLE board.locks_held;                       who holds what, until when$help$
        WHEN 'access' THEN
$help$Who may do what

Roles: board_viewer < board_agent < board_operator < board_admin; board_gateway: request() only.
  GRANT board_agent TO my_app;
SELECT * FROM board.register_agent('agent-7', 'my_app');    only that role may use the name
SELECT * FROM board.configure(require_registered_agents => true);    only registered names may act
SELECT board.issue_token('agent-7', '{agent}', '90 days');    shown once; scopes: viewer, agent,
                                                     operator, single actions, or sign:KEY
SELECT board.request(TOKEN, 'claim', '{"ttl": "5 minutes"}'); as parameters, never in the text
TABLE board.tokens;  SELECT board.revoke_token(ID);
SELECT board.create_signing_key('out');              whsec_…, shown once
SELECT board.import_signing_key('in', SECRET);       somebody else's: verifies, never signs
SELECT board.rotate_signing_key('out', '1 day');     both secrets count for a day; '0' after a leak
SELECT board.sign('out', 'msg_1', BODY);             SELECT board.verify('in', HEADERS, BODY);
TABLE board.keys;                                    HTTP fronts, webhooks: docs/http.md$help$
        WHEN 'errors' THEN
            board._help_errors()
        WHEN 'maintenance' THEN
$help$Maintenance

TABLE board.health;                        depth, ages, dead rows, the oldest snapshot
SELECT board.prune('30 days');             finished tasks, bounded per call; their events stay
SELECT * FROM board.configure(retain_events => '1 year');  then SELECT board.prune_events();
SELECT board.version();                    python -m installer status, verify, upgrade$help$
    END;
$$;

COMMENT ON FUNCTION board._help_topic IS
    'Private: the texts of board.help; NULL for what is no topic.';
