CREATE OR REPLACE FUNCTION board.events_since(
    since      text   DEFAULT NULL,
    max_events bigint DEFAULT 1000)
RETURNS TABLE (
    cursor     text,
    seq        bigint,
    xid        xid8,
    task_id    uuid,
    kind       text,
    type       text,
    actor      text,
    db_user    text,
    attempt    int,
    payload    jsonb,
    created_at timestamptz,
    withheld   text)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
    _feed text := board._feed_id();
    _at record;
    _seen pg_snapshot;
    _page pg_snapshot;
    _last bigint;
    _found record;
    _last_seq bigint;
BEGIN
    -- Delivers what is visible in this statement's snapshot (_page) and was not in the cursor's
    -- (_seen), in seq order. STABLE, so that all statements below see the one snapshot that _page
    -- names: with two snapshots an event that commits in between would be lost. When there is more
    -- than max_events, the cursors inside keep the pair of snapshots and the last seq.
    PERFORM board._check_count(max_events, 'max_events', 100000);
    IF since IS NULL THEN
        _seen := '1:1:';
        _page := board._open_snapshot();
        _last := 0;
    ELSE
        SELECT c.* INTO _at FROM board._parse_cursor(since) AS c;
        _seen := _at.seen;
        _page := coalesce(_at.page, board._open_snapshot());
        _last := _at.last_seq;
        IF _at.feed <> _feed OR board._cursor_is_behind(_seen, _page, _last) THEN
            cursor := _feed || ':' || board._open_snapshot()::text;
            type := 'resync';
            RETURN NEXT;
            RETURN;
        END IF;
    END IF;
    SELECT u.* INTO _found FROM board._unseen_events(_seen, _page, _last, max_events + 1) AS u;
    _last_seq := CASE WHEN cardinality(_found.seqs) <= max_events
        THEN _found.seqs[cardinality(_found.seqs)] END;
    RETURN QUERY
        SELECT _feed || ':' || CASE
                   WHEN e.seq = _last_seq THEN _page::text
                   ELSE _seen::text || '|' || _page::text || '|' || e.seq
               END,
               e.seq, e.xid, e.task_id, e.kind, e.type::text, e.actor, e.db_user, e.attempt,
               CASE WHEN r.readable THEN e.payload END, e.created_at,
               CASE WHEN NOT r.readable THEN 'its payload prints as more than 64 MB' END
          FROM unnest(_found.xids[:max_events], _found.seqs[:max_events]) AS f (xid, seq)
          JOIN board.task_events AS e ON e.xid = f.xid AND e.seq = f.seq
         CROSS JOIN LATERAL (
               SELECT CASE WHEN pg_column_size(e.payload) <= 800
                            AND pg_column_compression(e.payload) IS NULL THEN true
                           ELSE board._is_readable(ARRAY[e.payload]) END) AS r (readable)
         ORDER BY e.seq;
END;
$$;

COMMENT ON FUNCTION board.events_since IS
$$The feed: the events that were committed since the cursor, in seq order, each exactly once and
none lost, however many writers there are. Each row carries the cursor that goes on right after
it; keep that of the last row. No rows: nothing new, keep the cursor you have.

since       text, a cursor from an earlier row or from latest_cursor(); NULL: from the first event
            kept
max_events  bigint, 1 to 100,000

A row of type resync (all else NULL but cursor) means that this cursor cannot be continued for
certain: it comes from another cluster, database or timeline, or from before what prune_events
dropped. Read the state anew from board.tasks and go on from the cursor of that row. The caller's
own uncommitted events are left out and come later. Wake up on NOTIFY, channel task_events; with
settings.notify = coalesced read on until no other session holds a RowExclusiveLock on
board.task_events, and once a second at the latest.

Errors: 22023 for what is not a cursor, 0A000 on a standby.
Example: SELECT * FROM board.events_since(NULL, 100);$$;
