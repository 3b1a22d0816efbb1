-- next_due and explain: how long to sleep, and why nobody works on it.
BEGIN;
SELECT plan(29);
SELECT is(board.next_due(), NULL, 'an empty board: never');
CREATE TEMP TABLE ids AS SELECT board.enqueue('k', run_at => clock_timestamp() + '1 hour') AS later;
SELECT is(board.next_due(), (SELECT t.run_at FROM board.tasks AS t), 'the due time');
SELECT is(board.next_due(ARRAY['other']), NULL, 'of these kinds only');
SELECT matches(board.explain(later), '^scheduled for .*; nothing else in the way$',
    'explain: scheduled') FROM ids;
CREATE TEMP TABLE held AS SELECT c.id, c.leased_until FROM (SELECT board.enqueue('k')) AS e,
    board.claim('a', '5 minutes') AS c;
SELECT is(board.next_due(), (SELECT leased_until FROM held),
    'the end of a lease, if it comes first');
SELECT matches(board.explain(id), '^leased by "a" until .*, attempt 1$',
    'explain: leased') FROM held;
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 s'
    WHERE id = (SELECT id FROM held);
SELECT ok(board.next_due() BETWEEN clock_timestamp() - interval '1 s'
    AND clock_timestamp(), 'a lapsed lease: now, not then');
SELECT matches(board.explain(id), 'lapsed at .*claimable now', 'explain: lapsed') FROM held;
DO $$ BEGIN PERFORM board.pause('kind:k', 'op', 'VAT'); END $$;
SELECT is(board.next_due(), NULL, 'a paused kind: never by time alone');
SELECT matches(board.explain(later), 'kind "k" is paused by "op": VAT',
    'explain: kind paused') FROM ids;
DO $$ BEGIN PERFORM board.resume('kind:k', 'op'); PERFORM board.pause('board', 'op'); END $$;
SELECT is(board.next_due(), NULL, 'a paused board too');
SELECT matches(board.explain(later), 'the board is paused by "op"$',
    'explain: board paused') FROM ids;
DO $$ BEGIN PERFORM board.resume('board',
    'op'); PERFORM board.pause('task:' || (SELECT later FROM ids), 'op'); END $$;
SELECT matches(board.explain(later), 'this task is paused', 'explain: task paused') FROM ids;
DO $$ BEGIN
    PERFORM board.configure_provider('acme'); PERFORM board.set_limit('acme', '1 hour', 1);
    PERFORM board.configure_kind('calls',
        provider => 'acme'); PERFORM board.enqueue('calls'); PERFORM board.take('acme');
END $$;
SELECT ok(board.next_due(ARRAY['calls']) > clock_timestamp() + interval '50 minutes',
    'an exhausted provider: when its budget returns');
SELECT is_empty($$SELECT board.claim('a', kinds => ARRAY['calls'])$$,
    'until then its tasks are not given out');
SELECT matches(board.explain(t.id), 'provider "acme"', 'explain: provider') FROM board.tasks AS t
    WHERE t.kind = 'calls';
DO $$ BEGIN PERFORM board.configure_kind('rehearsal', mode => 'dry_run', provider => 'acme');
    PERFORM board.enqueue('rehearsal'); END $$;
SELECT ok(board.next_due(ARRAY['rehearsal']) <= clock_timestamp(),
    'a kind in dry-run needs no budget: now');
SELECT matches(board.explain(t.id), 'claimable now', 'explain: nor is anything in its way')
  FROM board.tasks AS t WHERE t.kind = 'rehearsal';
SELECT is((SELECT count(*) FROM board.claim('a', kinds => ARRAY['rehearsal'])), 1::bigint,
    'and it is given out');
DO $$ BEGIN PERFORM board.pause('provider:acme', 'op'); END $$;
SELECT is(board.next_due(ARRAY['calls']), NULL, 'a paused provider: never by time alone');
DO $$ BEGIN PERFORM board.configure_kind('one',
    max_in_progress => 1); PERFORM board.enqueue('one'); PERFORM board.enqueue('one');
    PERFORM board.claim('a', '7 minutes', ARRAY['one']); END $$;
SELECT is(board.next_due(ARRAY['one']), (SELECT t.leased_until FROM board.tasks AS t
    WHERE t.kind = 'one' AND t.status = 'in_progress'),
    'a kind at its cap: when the holder''s lease ends');
SELECT matches(board.explain(t.id), 'at its max_in_progress of 1',
    'explain: cap') FROM board.tasks AS t WHERE t.kind = 'one' AND t.status = 'pending';
DO $$ BEGIN PERFORM board.fail(t.id, 'a') FROM board.tasks AS t
    WHERE t.kind = 'one' AND t.status = 'in_progress'; END $$;
SELECT matches(string_agg(board.explain(t.id), ' '), 'strike 1 of 3',
    'explain: strikes') FROM board.tasks AS t WHERE t.kind = 'one';
SELECT throws_ok($$SELECT board.explain(gen_random_uuid())$$, 'TB002', 'task not found',
    'no such task');
SELECT throws_ok($$SELECT board.explain(NULL)$$, '22023', 'invalid value for argument "id"',
    'id NULL');
SELECT throws_ok($$SELECT board.next_due(ARRAY[NULL]::text[])$$, '22023',
    'invalid value for argument "kinds"', 'a kind NULL');

DO $$ BEGIN PERFORM board.enqueue('done'); PERFORM board.complete(c.id, 'a')
    FROM board.claim('a', kinds => ARRAY['done']) AS c; END $$;
SELECT is(board.next_due(ARRAY['done']), NULL, 'a kind whose tasks are all done: never');
DO $$ BEGIN PERFORM board.resume('provider:acme', 'op');
    PERFORM board.cancel(t.id, 'op') FROM board.tasks AS t WHERE t.kind = 'calls'; END $$;
SELECT is(board.next_due(ARRAY['calls']), NULL,
    'no task: never, whenever the budget of its kind returns');

DO $$ BEGIN PERFORM board.enqueue('card');
    PERFORM board.escalate(c.id, 'a') FROM board.claim('a', kinds => ARRAY['card']) AS c;
    PERFORM board.claim_escalated('maria', '1 minute'); END $$;
SELECT is(board.next_due(ARRAY['card']), NULL,
    'a card in a person''s hands: never, its lapse is nothing for agents');

SELECT * FROM finish();
ROLLBACK;
