CREATE OR REPLACE FUNCTION board._check_mode_change(
    kind board.kinds,
    mode text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Down is always allowed; a kind that has no task yet may begin in any mode.
    IF array_position(ARRAY['dry_run', 'shadow', 'live'], _check_mode_change.mode)
           > array_position(ARRAY['dry_run', 'shadow', 'live'], kind.mode)
       AND EXISTS (SELECT FROM board.kind_names AS n WHERE n.name = kind.name) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'TB007',
            MESSAGE = format('mode %s needs a promotion', _check_mode_change.mode),
            DETAIL = format('Kind "%s" is in mode %s and has had tasks.', kind.name, kind.mode),
            HINT = format(
                'SELECT board.promote(%L, %L, actor => …) does it when the figures allow it.',
                kind.name, _check_mode_change.mode);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_mode_change IS
    'Private: TB007 when configure_kind would move a kind with tasks to a higher mode: promote '
    'does that.';
