CREATE OR REPLACE FUNCTION board._check_needs(ids uuid[])
RETURNS uuid[]
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- In id order and each once: the order in which the rows are locked.
    IF EXISTS (SELECT FROM unnest(ids) AS n (id) WHERE n.id IS NULL) THEN
        PERFORM board._invalid_argument('needs', 'has a NULL in it', 'Pass ids of tasks.');
    ELSIF cardinality(ids) > 1000 THEN
        PERFORM board._invalid_argument('needs', format('has %s ids', cardinality(ids)),
            'A task has at most 1,000 needs; let a task in between collect them.');
    END IF;
    RETURN ARRAY(SELECT DISTINCT n.id FROM unnest(ids) AS n (id) ORDER BY n.id);
END;
$$;

COMMENT ON FUNCTION board._check_needs IS
    'Private: the needs, each once, in id order; empty for NULL; 22023 for a NULL among them or more '
    'than 1,000.';
