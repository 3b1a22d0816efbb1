-- schedule, unschedule, pause and resume of schedules, and what the view and the logs say of them.
BEGIN;
SELECT plan(48);
SET LOCAL TimeZone = 'UTC';

SELECT is(board.schedule('nightly', '0 3 * * *', 'report', '{"a": 1}', 'Europe/Berlin', 5,
                         actor => 'ann'),
    board.next_occurrence('0 3 * * *', clock_timestamp(), 'Europe/Berlin'),
    'schedule returns the next occurrence');
SELECT results_eq($$
    SELECT s.name, s.meaning, s.cron, s.timezone, s.kind, s.payload, s.priority, s.missed,
           s.overlap, s.overdue_since, s.last_task_id, s.paused
      FROM board.schedules AS s
$$, $$ VALUES ('nightly', 'every day at 03:00', '0 3 * * *', 'Europe/Berlin', 'report',
               '{"a": 1}'::jsonb, 5, 'one', 'skip', NULL::timestamptz, NULL::uuid, false) $$,
    'the view has it, in words too');
SELECT is((SELECT l.actor || ' ' || l.target FROM board.audit_log AS l WHERE l.action = 'schedule'),
    'ann schedule:nightly', 'audited');
SELECT is((SELECT l.detail #>> '{cron,to}' FROM board.audit_log AS l WHERE l.action = 'schedule'),
    '0 3 * * *', 'with what it was told');

-- Said again, as by every deployment.
SELECT is(board.schedule('nightly', '0 3 * * *', 'report', '{"a": 1}', 'Europe/Berlin', 5),
    board.next_occurrence('0 3 * * *', clock_timestamp(), 'Europe/Berlin'), 'said again');
SELECT is((SELECT count(*) FROM board.audit_log AS l WHERE l.action = 'schedule'), 1::bigint,
    'nothing happens');

-- A change of anything but the moments leaves what is due.
UPDATE board.task_schedules SET next_at = next_at - interval '2 days';
SELECT ok(board.schedule('nightly', '0 3 * * *', 'report', '{"a": 2}', 'Europe/Berlin')
          < clock_timestamp(), 'other payload: what is due stays due');
SELECT ok((SELECT s.overdue_since = s.next_occurrence FROM board.schedules AS s),
    'overdue since the occurrence');
SELECT results_eq($$ SELECT h.schedules_overdue, h.overdue_since FROM board.health AS h $$,
    $$ SELECT 1::bigint, s.next_occurrence::timestamptz FROM board.schedules AS s $$, 'and health says so');
SELECT is((SELECT l.detail FROM board.audit_log AS l WHERE l.action = 'schedule'
            ORDER BY l.seq DESC LIMIT 1),
    '{"payload": {"from": {"a": 1}, "to": {"a": 2}}, "priority": {"from": 5, "to": 0}}'::jsonb,
    'the log has what changed');
SELECT ok(board.schedule('nightly', '0 4 * * *', 'report', '{"a": 2}', 'Europe/Berlin')
          > clock_timestamp(), 'other moments begin now');

-- Pause.
SELECT is(board.pause('schedule:nightly', 'ann', 'holidays'), 'paused', 'paused');
SELECT is(board.pause('schedule:nightly', 'bob', 'too'), 'paused', 'twice');
SELECT is((SELECT s.paused_by || ': ' || s.pause_reason FROM board.schedules AS s), 'ann: holidays',
    'by who was first');
UPDATE board.task_schedules SET next_at = next_at - interval '2 days';
SELECT is((SELECT s.overdue_since FROM board.schedules AS s), NULL, 'what is paused is not overdue');
SELECT is((SELECT h.schedules_overdue FROM board.health AS h), 0::bigint, 'in no place');
SELECT is(board.fire_due(), 0::bigint, 'and is not fired');
SELECT is(board.resume('schedule:nightly', 'ann'), 'resumed', 'resumed');
SELECT is(board.fire_due(), 1::bigint, 'one of what was missed meanwhile');
SELECT is((SELECT count(*) FROM board.audit_log AS l WHERE l.target = 'schedule:nightly'
              AND l.action IN ('pause', 'resume')), 2::bigint, 'both in the audit log, once');
SELECT throws_ok($$ SELECT board.pause('schedule:none', 'ann') $$, '22023',
    'invalid value for argument "target"', 'a name that is none');

-- Removed.
SELECT ok(board.unschedule('nightly', 'ann'), 'there was one');
SELECT ok(NOT board.unschedule('nightly', 'ann'), 'there is none any more');
SELECT is((SELECT count(*) FROM board.tasks AS t WHERE t.schedule = 'nightly'), 1::bigint,
    'its task stays');
SELECT is((SELECT count(*) FROM board.audit_log AS l WHERE l.action = 'unschedule'), 1::bigint,
    'audited');

-- From and to.
SELECT is(board.schedule('s', '0 0 1 1 *', 'k', starts_at => '2030-01-01 00:00+00'),
    '2030-01-01 00:00+00', 'an occurrence at starts_at is the first');
SELECT is(board.schedule('s', '0 0 1 1 *', 'k', starts_at => '2030-01-01 00:00:01+00'),
    '2031-01-01 00:00+00', 'one before it is none');
SELECT is(board.schedule('s', '@every 7 days', 'k', starts_at => '2030-01-01 09:30+00'),
    '2030-01-01 09:30+00', '@every begins with starts_at');
SELECT is(extract(epoch FROM board.schedule('s', '@every 7 minutes', 'k',
                                            starts_at => '2020-01-01 00:03:30+00')
                  - '2020-01-01 00:03:30+00')::bigint % 420, 0::bigint,
    'and goes on in whole spans from it');
SELECT ok(board.schedule('t', '@every 7 minutes', 'k') - clock_timestamp()
          BETWEEN interval '6 minutes 58 seconds' AND interval '7 minutes', 'or begins now');
SELECT is(board.schedule('s', '0 0 1 1 *', 'k', ends_at => '2027-01-01 00:00+00'),
    '2027-01-01 00:00+00', 'an occurrence at ends_at is the last');
SELECT is(board.schedule('s', '0 0 1 1 *', 'k', ends_at => '2026-12-31 23:59+00'), NULL,
    'after it there is none');
SELECT is(board.schedule('s', '0 0 1 1 *', 'k'), '2027-01-01 00:00+00', 'without an end it goes on');

-- In no case before what has been dealt with: the clock was put back by a year.
UPDATE board.task_schedules SET last_at = '2027-06-01', next_at = '2028-01-01' WHERE name = 's';
SELECT is(board.schedule('s', '0 0 1 * *', 'k'), '2027-07-01 00:00+00',
    'other moments begin after what has been dealt with');

SELECT throws_ok(format('SELECT board.schedule(%s)', c.arguments), '22023',
    format('invalid value for argument "%s"', c.argument), c.arguments)
  FROM (VALUES
    ($$NULL, '@daily', 'k'$$, 'name'), ($$'', '@daily', 'k'$$, 'name'),
    ($$'n', '61 * * * *', 'k'$$, 'cron'), ($$'n', NULL, 'k'$$, 'cron'),
    ($$'n', '@daily', ''$$, 'kind'), ($$'n', '@daily', 'k', NULL$$, 'payload'),
    ($$'n', '@daily', 'k', timezone => 'Mars'$$, 'timezone'),
    ($$'n', '@daily', 'k', priority => 3000000000$$, 'priority'),
    ($$'n', '@daily', 'k', missed => 'some'$$, 'missed'),
    ($$'n', '@daily', 'k', overlap => NULL$$, 'overlap'),
    ($$'n', '@daily', 'k', starts_at => 'infinity'$$, 'starts_at'),
    ($$'n', '@daily', 'k', starts_at => '2030-01-01', ends_at => '2029-01-01'$$, 'ends_at'),
    ($$'n', '@daily', 'k', actor => ''$$, 'actor')) AS c (arguments, argument);
SELECT is((SELECT count(*) FROM board.schedules AS s), 2::bigint, 'what is refused is not kept');

SELECT * FROM finish();
ROLLBACK;
