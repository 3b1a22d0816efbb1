CREATE OR REPLACE FUNCTION board._parse_cursor(since text)
RETURNS TABLE (feed text, seen pg_snapshot, page pg_snapshot, last_seq bigint)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _part text[];
BEGIN
    -- feed:seen, or inside a page feed:seen|page|last_seq; snapshots as PostgreSQL writes them.
    _part := regexp_match(since,
        $re$^([0-9a-f]{12}):(\d+:\d+:[\d,]*)(?:\|(\d+:\d+:[\d,]*)\|(\d{1,18}))?\Z$re$);
    IF _part IS NULL THEN
        RAISE invalid_text_representation;
    END IF;
    feed := _part[1];
    seen := _part[2]::pg_snapshot;
    page := _part[3]::pg_snapshot;
    last_seq := _part[4]::bigint;
    RETURN NEXT;
EXCEPTION
    WHEN data_exception THEN
        PERFORM board._invalid_argument('since', 'is not a cursor of this feed',
            'Pass what events_since() or latest_cursor() returned, or NULL to begin at the start.');
END;
$$;

COMMENT ON FUNCTION board._parse_cursor IS
    'Private: takes a feed cursor apart; 22023 when it is none.';
