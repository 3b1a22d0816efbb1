CREATE OR REPLACE FUNCTION board._pick(
    who        text,
    ttl        interval,
    kinds      text[],
    max_tasks  bigint,
    closed     text[],
    special    text[],
    rank       int,
    created_at timestamptz,
    id         uuid,
    end_rank   int,
    end_at     timestamptz,
    end_id     uuid)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _left bigint := max_tasks;
    _closed text[] := closed;
    _names text[] := kinds;
    _heads record;
    _task board.tasks;
    _run uuid[];
    _taken uuid[];
    _slots int[];
    _cap int;
    _provider text;
    _account text;
    _judged int := 0;
    _wanted int;
    _spare int := 16;
    _kind text;
    _from int;
    _to int;
    _walked bigint := board._walked();
BEGIN
    -- A merge. Each round lists, without locks, the best ready tasks beyond the place up to which
    -- all has been looked at (rank, created_at, id): every ready task of an open kind up to a
    -- bound, in claim order, and none from the end on, where something better is not ready yet. It
    -- then locks from the top as many as are wanted, SKIP LOCKED: what it gets is the best that
    -- nobody else has locked. If that is too few, the next round goes on behind the bound. Over all
    -- kinds a round reads the head of the ready index; when closed kinds are most of it, by kind.
    --
    -- A special kind (cap, provider) is judged when a task of it comes up. Its tasks are taken in
    -- runs of one kind: of a kind with a cap, slots first (SKIP LOCKED), then as many tasks as
    -- there are slots. A kind that turns out closed or full is left out from then on. Tasks whose
    -- account has no budget are postponed until it has; one call judges some thousands at most.
    LOOP
        IF _names IS NULL THEN
            SELECT h.* INTO _heads
              FROM board._ready_window(rank, created_at, id, end_rank, end_at, end_id,
                       _left + _spare, _closed) AS h;
            _spare := least(2 * _spare, 1000);
        ELSE
            SELECT h.* INTO _heads
              FROM board._ready_heads(_names, rank, created_at, id, end_rank, end_at, end_id,
                       _left, _closed) AS h;
        END IF;
        _from := 1;
        WHILE _from <= cardinality(_heads.ids) AND _left > 0 LOOP
            _kind := _heads.kinds[_from];
            _to := board._run_end(_heads.kinds, _from, special);
            _cap := NULL;
            _provider := NULL;
            IF _kind = ANY (special) THEN
                SELECT o.max_in_progress, o.provider, o.provider_account
                  INTO _cap, _provider, _account
                  FROM board._claimable_kinds(ARRAY[_kind], clock_timestamp()) AS o
                 WHERE _kind <> ALL (_closed);
                _closed := _closed || CASE WHEN NOT FOUND THEN ARRAY[_kind] END;
            END IF;
            _run := _heads.ids[_from:_to];
            _from := _to + 1;
            CONTINUE WHEN _kind = ANY (_closed);
            IF _provider IS NOT NULL THEN
                _judged := _judged + cardinality(_run);
                _run := board._affordable(_provider, _account, _run);
            END IF;
            _wanted := least(_left, cardinality(_run));
            IF _cap IS NOT NULL THEN
                _slots := board._free_slots(_kind, _cap, _wanted);
                IF cardinality(_slots) < _wanted THEN
                    _closed := _closed || _kind;
                END IF;
                _wanted := cardinality(_slots);
            END IF;
            CONTINUE WHEN _wanted = 0;
            _taken := ARRAY[]::uuid[];
            FOR _task IN SELECT * FROM board._lease_ready(who, _run, _wanted, _pick.ttl) LOOP
                IF NOT board._is_readable(
                    ARRAY[_task.payload, _task.progress, _task.last_failure]) THEN
                    PERFORM board._set_aside(who, _task.id);
                    CONTINUE;
                END IF;
                _left := _left - 1;
                _taken := _taken || _task.id;
                RETURN NEXT _task;
            END LOOP;
            IF _cap IS NOT NULL THEN
                PERFORM board._fill_slots(_kind, _slots, _taken);
            END IF;
        END LOOP;
        EXIT WHEN _left <= 0 OR _heads.is_end OR _judged > 2000;
        rank := _heads.rank;
        created_at := _heads.created_at;
        id := _heads.id;
        IF _names IS NULL AND _heads.is_crowded THEN
            _names := board._ready_kinds();
        END IF;
    END LOOP;
    _walked := board._walked() - _walked;
    IF _left < max_tasks AND (_walked > 1000 OR current_setting('board.walk', true) <> '') THEN
        PERFORM board._remember_walk(
            kinds, _walked - max_tasks, ~_task.priority, _task.created_at, _task.id, NULL);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._pick IS
    'Private: claims up to max_tasks ready tasks of the open kinds beyond one place in claim order '
    'and before another, the best first.';
