CREATE OR REPLACE FUNCTION board._replace_needs_graph()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Before INSERT on needs_graph, a table of one row: the row that a fresh installation put there
    -- gives way to the one that a dump brings.
    DELETE FROM board.needs_graph;
    RETURN NEW;
END;
$$;

COMMENT ON FUNCTION board._replace_needs_graph IS
    'Private: trigger of needs_graph: an inserted row takes the place of the one that is there, so '
    'that a dump''s data can be restored into a fresh installation.';
