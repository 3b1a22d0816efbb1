CREATE OR REPLACE FUNCTION board._walk_from(
    kinds         text[],
    at            timestamptz,
    OUT rank       int,
    OUT created_at timestamptz,
    OUT id         uuid,
    OUT due_after  timestamptz)
RETURNS record
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _at bigint;
    _part text[];
BEGIN
    rank := -2147483648;
    created_at := '-infinity';
    id := '00000000-0000-0000-0000-000000000000';
    due_after := '-infinity';
    IF coalesce(current_setting('board.walk', true), '') = '' THEN
        RETURN;
    END IF;
    -- The setting belongs to the session and anybody can write anything into it: it is matched
    -- against a pattern, and each half counts only if it was noted within the last second. The
    -- worst that a forger gets is another claim order on his own connection. A task of a higher
    -- priority than where the walk stood is looked for first: it is never passed over for a second.
    -- An older task of the same priority may be (released, lapsed, retried: it was claimed before).
    _at := (extract(epoch FROM at) * 1000000)::bigint;
    _part := regexp_match(current_setting('board.walk', true),
        '^(-?[0-9]{1,19});([0-9]{1,16}):(-?[0-9]{1,9}):([0-9]{1,16}):'
        '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12});([0-9]{1,16})$');
    IF _part[1] <> hashtextextended(kinds::text, 0)::text
       OR _part[1] <> '0' AND kinds IS NULL THEN
        RETURN;
    END IF;
    IF _part[2]::bigint <= _at AND _part[2]::bigint > _at - 1000000 THEN
        rank := _part[3]::int;
        created_at := 'epoch'::timestamptz + _part[4]::bigint * interval '1 microsecond';
        id := _part[5]::uuid;
        IF board._is_outranked(kinds, rank, _at) THEN
            rank := -2147483648;
            created_at := '-infinity';
            id := '00000000-0000-0000-0000-000000000000';
        END IF;
    END IF;
    IF _part[6]::bigint <= _at AND _part[6]::bigint > _at - 1000000 THEN
        due_after := 'epoch'::timestamptz + _part[6]::bigint * interval '1 microsecond';
    END IF;
END;
$$;

COMMENT ON FUNCTION board._walk_from IS
    'Private: where this session''s walk of what is ready and of what is due begins for these '
    'kinds: at the very head, or for a second where the last, long walk ended.';
