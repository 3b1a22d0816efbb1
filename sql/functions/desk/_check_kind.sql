CREATE OR REPLACE FUNCTION board._check_kind(
    was  board.kinds,
    kind board.kinds)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- What the table's CHECKs cannot tell: names, what other tables have, and the way that a mode
    -- goes. A value that was not passed is there already and passes again.
    IF kind.provider IS DISTINCT FROM was.provider THEN
        PERFORM board._check_name(kind.provider, 'provider') WHERE kind.provider IS NOT NULL;
        PERFORM FROM board.providers AS p WHERE p.name = kind.provider;
        PERFORM board._invalid_argument(
            'provider', format('names "%s", which is not configured', kind.provider),
            'SELECT board.configure_provider(…) first, or check the spelling.')
          WHERE NOT FOUND AND kind.provider IS NOT NULL;
    END IF;
    -- As begin_call will want it.
    PERFORM board._check_name(kind.provider_account, 'provider_account')
      WHERE kind.provider_account <> '';
    PERFORM board._check_units(kind.task_budget, 'task_budget');
    PERFORM board._check_ignored_paths(kind.ignored_paths);
    PERFORM board._check_mode_change(was, kind.mode);
END;
$$;

COMMENT ON FUNCTION board._check_kind IS
    'Private: for configure_kind: 22023 for a policy that no CHECK constraint refuses and that is '
    'wrong all the same, TB007 for a mode that needs promote.';
