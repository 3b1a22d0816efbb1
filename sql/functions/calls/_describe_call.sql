CREATE OR REPLACE FUNCTION board._describe_call(
    decision text,
    agent    text,
    step     text,
    provider text,
    attempt  int,
    mode     text)
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format(
        CASE decision
            WHEN 'send' THEN '%s sends step "%s"%s (attempt %s)'
            WHEN 'sandbox' THEN '%s sends step "%s"%s''s sandbox (attempt %s, %s)'
            ELSE '%s would have sent step "%s"%s (attempt %s, %s)' END,
        agent, step, ' to ' || provider, attempt, mode);
$$;

COMMENT ON FUNCTION board._describe_call IS
    'Private: the beginning of a call as a sentence, for board.history.';
