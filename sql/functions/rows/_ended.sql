CREATE OR REPLACE FUNCTION board._ended(
    attempt int,
    who     text,
    verb    text,
    answer  text,
    digest  text)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN digest IS NOT NULL THEN jsonb_build_object(
        'attempt', attempt, 'agent', who, 'verb', verb, 'answer', answer, 'digest', digest) END;
$$;

COMMENT ON FUNCTION board._ended IS
    'Private: the value for tasks.ended: who ended which attempt by which verb, given what, and '
    'what the answer was; NULL without a digest (attempt was not passed).';
