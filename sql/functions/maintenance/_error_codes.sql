CREATE OR REPLACE FUNCTION board._error_codes()
RETURNS TABLE (code text, name text, http int, meaning text, advice text)
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- The one place that tells of a SQLSTATE: help('errors'), README and docs are made from it, the
    -- HTTP fronts are held against it. Standard codes have PostgreSQL's names for them.
    -- http: what a front answers; NULL: no verb of request() raises it.
    SELECT v.code, v.name, v.http, v.meaning, v.advice
      FROM (VALUES
        ('TB001', 'lease_lost', 409, 'you do not hold the task (any more)',
            'stop working on it, claim again'),
        ('TB002', 'task_not_found', 404, 'no such task; it may have been pruned',
            'look at the id'),
        ('TB003', 'wrong_state', 409, 'the verb does not apply to a task in this status',
            'ask explain()'),
        ('TB004', 'result_conflict', 409, 'completed before, with another result',
            'the first result stands'),
        ('TB005', 'request_mismatch', 409, 'this step was begun with another request',
            'use another name for the step'),
        ('TB006', 'cost_exceeds_limit', 422, 'more than the limit ever grants at once',
            'split the call or raise the limit'),
        ('TB007', 'promotion_refused', 409, 'the evidence for this mode is not there',
            'the detail lists what is missing'),
        ('TB008', 'fence_stale', 409, 'the lock has ended, was released or taken over',
            'write nothing'),
        ('22023', 'invalid_parameter_value', 422, 'an argument is out of range',
            'the detail names it'),
        ('28000', 'invalid_authorization_specification', 401, 'a token that is not valid',
            'ask for another one'),
        ('42501', 'insufficient_privilege', 403, 'not your name, or not your right',
            'use your own, or ask an administrator'),
        ('42P01', 'undefined_table', NULL, 'lock_row was given a table that is not there',
            'name one that is'),
        ('0A000', 'feature_not_supported', 501, 'not on a standby', 'ask the primary'),
        ('23514', 'check_violation', NULL, 'a row that contradicts itself was typed',
            'use the functions'),
        ('55000', 'object_not_in_prerequisite_state', NULL, 'events and open tasks are kept',
            'the hint says what goes'),
        ('25006', 'read_only_sql_transaction', 503, 'a read-only transaction, or a standby',
            'connect to the primary'),
        ('55P03', 'lock_not_available', 503, 'your lock_timeout was over first', 'try again'),
        ('57014', 'query_canceled', 503, 'your statement_timeout was over first', 'try again'),
        ('40001', 'serialization_failure', 503, 'another transaction came first', 'try again'),
        ('40P01', 'deadlock_detected', 503, 'two transactions waited for each other', 'try again')
      ) AS v (code, name, http, meaning, advice);
$$;

COMMENT ON FUNCTION board._error_codes IS
    'Private: every SQLSTATE that a verb can end with: its name, its HTTP status, what it means and '
    'what to do.';
