CREATE OR REPLACE FUNCTION board._check_ignored_paths(
    paths    text[],
    argument text DEFAULT 'ignored_paths')
RETURNS void
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _path text;
    _steps text[];
BEGIN
    IF cardinality(paths) > 100 THEN
        PERFORM board._invalid_argument(argument, format('has %s entries', cardinality(paths)),
            'At most 100 are matched.');
    END IF;
    FOREACH _path IN ARRAY coalesce(paths, '{}') LOOP
        _steps := board._path_steps(_path);
        IF _steps IS NULL THEN
            PERFORM board._invalid_argument(
                argument, format('has "%s" in it, which is not a path', left(_path, 100)),
                'Write paths as in $.items[*].price, $.sent_at or $."odd name"[0]; * stands for '
                'any one step.');
        ELSIF length(_path) > 1000 THEN
            PERFORM board._invalid_argument(argument, 'has a path of more than 1,000 characters in it',
                'Name a place further up: what lies below is covered too.');
        ELSIF '*' = ALL (_steps) THEN
            PERFORM board._invalid_argument(
                argument, format('has "%s" in it, which leaves nothing to compare', _path),
                'Name at least one member or index.');
        END IF;
    END LOOP;
    -- They become one regular expression, which agents match while they hold a task. Of this length
    -- it compiles in a fraction of a second; of sixty times that, in eight minutes, to fail.
    IF length(board._ignored_pattern(coalesce(paths, '{}'))) > 40000 THEN
        PERFORM board._invalid_argument(argument, 'is too much to match',
            'Name places further up, or use fewer wildcards: each weighs like 60 characters.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_ignored_paths IS
    'Private: for configure_kind: every entry is a path that names at least one member or index; '
    'else 22023 naming the argument.';
