CREATE OR REPLACE FUNCTION board._walk_from(
    kind text,
    at   timestamptz)
RETURNS TABLE (rank int, created_at timestamptz, id uuid, until bigint)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _at bigint;
    _memory text := current_setting('board.walk', true);
    _key text;
    _place int;
    _part text[];
BEGIN
    rank := -2147483648;
    created_at := '-infinity';
    id := '00000000-0000-0000-0000-000000000000';
    -- The setting belongs to the session and anybody can write anything into it: it is matched
    -- against a pattern, and counts only if it ends within the second to come. The worst that a
    -- forger gets is another claim order on his own connection.
    -- One pattern for all kinds: one for each would be compiled anew for each.
    IF _memory <> '' THEN
        _key := 'walk' || hashtextextended(_walk_from.kind, 0) || ':';
        _place := strpos(_memory, _key);
        IF _place > 0 THEN
            _at := (extract(epoch FROM at) * 1000000)::bigint;
            _part := regexp_match(substr(_memory, _place + length(_key), 100),
                '^(\d{16}):(-?\d{1,9}):(\d{1,16}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12});');
        END IF;
        IF _part[1]::bigint > _at AND _part[1]::bigint <= _at + 1000000 THEN
            until := _part[1]::bigint;
            rank := _part[2]::int;
            created_at := 'epoch'::timestamptz + _part[3]::bigint * interval '1 microsecond';
            id := _part[4]::uuid;
        END IF;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION board._walk_from IS
    'Private: where this session''s walk of the kind''s ready tasks begins: at the very head, '
    'or for up to a second where the last, expensive walk stood (then until says when that '
    'ends, in microseconds of the epoch).';
