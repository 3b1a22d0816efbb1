CREATE OR REPLACE FUNCTION board._store_verdict(
    compared      board.compared_steps,
    ignored_paths text[])
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _result record;
BEGIN
    -- The caller holds the lock on the row and has put a new side into its copy. What a person said
    -- of the row was said of other contents, so it goes; the audit log has it.
    _result := board._compare(compared.decided, compared.actual, ignored_paths);
    UPDATE board.compared_steps AS c
       SET verdict = _result.verdict, paths = _result.paths, ignored = _result.ignored,
           mode = compared.mode, mode_since = compared.mode_since,
           decided = compared.decided, decided_at = compared.decided_at,
           decided_by = compared.decided_by, task_id = compared.task_id, attempt = compared.attempt,
           actual = compared.actual, actual_at = compared.actual_at, actual_by = compared.actual_by,
           explained_at = NULL, explained_by = NULL, explanation = NULL
     WHERE c.kind = compared.kind
       AND c.correlation_id = compared.correlation_id
       AND c.step = compared.step;
    RETURN _result.verdict;
END;
$$;

COMMENT ON FUNCTION board._store_verdict IS
    'Private: compares the two sides of a locked step, writes them with the verdict, and returns '
    'it.';
