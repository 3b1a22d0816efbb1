-- What shadow runs have shown.

CREATE OR REPLACE VIEW board.comparisons AS
SELECT c.kind, c.correlation_id, c.step, c.decided, c.actual, c.verdict, c.paths, c.explained_by,
       c.explanation, c.explained_at, c.ignored,
       (SELECT count(*)
          FROM board.comparison_evidence AS e
         WHERE e.kind = c.kind
           AND e.correlation_id = c.correlation_id
           AND e.step = c.step
           AND e.reason = 'conflict') AS conflicts,
       c.mode, (k.mode = 'shadow' AND c.mode_since = k.mode_since) IS TRUE AS counts,
       c.task_id, c.attempt, c.decided_by, c.decided_at, c.actual_by,
       c.actual_at
  FROM board.compared_steps AS c
  LEFT JOIN board.kinds AS k ON k.name = c.kind;

COMMENT ON VIEW board.comparisons IS
    'What the new automation decided beside what the old one did: one row per kind, correlation '
    'id and step.';
COMMENT ON COLUMN board.comparisons.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.comparisons.correlation_id IS
    'The outside event that both answered to; the task''s own id when it carries none.';
COMMENT ON COLUMN board.comparisons.step IS 'Name of the step.';
COMMENT ON COLUMN board.comparisons.decided IS
    'What the new automation decided; NULL: not there yet.';
COMMENT ON COLUMN board.comparisons.actual IS 'What the old one did; NULL: not there yet.';
COMMENT ON COLUMN board.comparisons.verdict IS
    'matched: equal; ignored: they differ at ignored paths only; diverged: they differ; '
    'missing: one side only.';
COMMENT ON COLUMN board.comparisons.paths IS
    'Where they differ, as in {$.items[2].price}: the first 1,000 places; each casts to jsonpath.';
COMMENT ON COLUMN board.comparisons.explained_by IS 'Who explained the difference.';
COMMENT ON COLUMN board.comparisons.explanation IS 'What that person said.';
COMMENT ON COLUMN board.comparisons.explained_at IS 'When.';
COMMENT ON COLUMN board.comparisons.ignored IS
    'Where they differ, but the kind''s ignored_paths say to look away.';
COMMENT ON COLUMN board.comparisons.conflicts IS
    'How many further, different records of this step were kept in board.comparison_evidence.';
COMMENT ON COLUMN board.comparisons.mode IS 'Mode of the kind when it was decided.';
COMMENT ON COLUMN board.comparisons.counts IS
    'Whether it counts for promotion: the kind is in shadow and has kept its configuration since.';
COMMENT ON COLUMN board.comparisons.task_id IS 'The task in which it was decided.';
COMMENT ON COLUMN board.comparisons.attempt IS 'The attempt of that task.';
COMMENT ON COLUMN board.comparisons.decided_by IS 'The agent that decided.';
COMMENT ON COLUMN board.comparisons.decided_at IS 'When the decision was recorded.';
COMMENT ON COLUMN board.comparisons.actual_by IS
    'The database role that recorded what the old one did.';
COMMENT ON COLUMN board.comparisons.actual_at IS 'When that was recorded.';


-- differences calls built-in functions only: whoever reads a view calls its functions under his own
-- name. Paths that are very deep are not followed, so that no document can break the view.
CREATE OR REPLACE VIEW board.divergences AS
SELECT c.kind, c.correlation_id, c.step, c.verdict,
       CASE
           WHEN c.decided IS NULL THEN 'the new automation decided nothing'
           WHEN c.actual IS NULL THEN 'the old automation did nothing'
           ELSE
               (SELECT string_agg(
                           format('%s: decided %s, actual %s', left(p.path, 80),
                                  coalesce(left(v.decided::text, 60), s.none),
                                  coalesce(left(v.actual::text, 60), s.none)),
                           E'\n' ORDER BY p.nr)
                  FROM unnest(c.paths[:10]) WITH ORDINALITY AS p (path, nr)
                 CROSS JOIN LATERAL (
                        SELECT CASE WHEN l.short THEN ('strict ' || p.path)::jsonpath END,
                               CASE WHEN l.short THEN 'nothing' ELSE '(too deep)' END
                          FROM (SELECT length(p.path) <= 1000) AS l (short)
                       ) AS s (path, none)
                 CROSS JOIN LATERAL (
                        SELECT jsonb_path_query_first(c.decided, s.path, silent => true),
                               jsonb_path_query_first(c.actual, s.path, silent => true)
                       ) AS v (decided, actual))
               || CASE
                      WHEN cardinality(c.paths) <= 10 THEN ''
                      ELSE format(E'\nand %s more%s', cardinality(c.paths) - 10,
                                  CASE WHEN cardinality(c.paths) = 1000 THEN ', at least' END)
                  END
       END AS differences,
       c.explained_by, c.explanation, c.paths, c.decided, c.actual, c.task_id,
       greatest(c.decided_at, c.actual_at) AS since
  FROM board.kinds AS k
  JOIN board.compared_steps AS c ON c.kind = k.name AND c.mode_since = k.mode_since
 WHERE k.mode <> 'live'
   AND (c.verdict = 'diverged'
        OR c.verdict = 'missing'
           AND (SELECT clock_timestamp()) - c.recorded_at >= k.comparison_grace);

COMMENT ON VIEW board.divergences IS
    'What a person has to understand before a kind goes live: differences, and steps on which '
    'one side has stayed silent for longer than the kind''s comparison_grace, since its dry-run '
    'or shadow began. Explain one with board.explain_divergence().';
COMMENT ON COLUMN board.divergences.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.divergences.correlation_id IS 'The outside event.';
COMMENT ON COLUMN board.divergences.step IS 'Name of the step.';
COMMENT ON COLUMN board.divergences.verdict IS 'diverged or missing.';
COMMENT ON COLUMN board.divergences.differences IS
    'The difference in words: a line per path with what was decided and what was done.';
COMMENT ON COLUMN board.divergences.explained_by IS
    'Who explained it; NULL: it blocks promotion to live.';
COMMENT ON COLUMN board.divergences.explanation IS 'What that person said.';
COMMENT ON COLUMN board.divergences.paths IS 'Where the two sides differ.';
COMMENT ON COLUMN board.divergences.decided IS 'What the new automation decided.';
COMMENT ON COLUMN board.divergences.actual IS 'What the old one did.';
COMMENT ON COLUMN board.divergences.task_id IS 'The task in which it was decided.';
COMMENT ON COLUMN board.divergences.since IS 'When the second side came in, or the only one.';
