CREATE OR REPLACE FUNCTION board.configure_kind(
    name             text,
    max_failures     bigint           DEFAULT NULL,
    max_lapses       bigint           DEFAULT NULL,
    retry_delay      interval         DEFAULT NULL,
    retry_delay_max  interval         DEFAULT NULL,
    max_in_progress  bigint           DEFAULT NULL,
    provider         text             DEFAULT NULL,
    provider_account text             DEFAULT NULL,
    task_budget      jsonb            DEFAULT NULL,
    mode             text             DEFAULT NULL,
    min_comparisons  bigint           DEFAULT NULL,
    min_shadow_time  interval         DEFAULT NULL,
    min_agreement    double precision DEFAULT NULL,
    comparison_grace interval         DEFAULT NULL,
    ignored_paths    text[]           DEFAULT NULL,
    reset            text[]           DEFAULT NULL,
    actor            text             DEFAULT NULL)
RETURNS board.kinds
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM board._acting_agent(configure_kind.actor, 'actor')
      WHERE configure_kind.actor IS NOT NULL;
    -- By name, as request() passes them on; null: not passed.
    RETURN board._configure_kind(
        configure_kind.actor,
        configure_kind.name,
        jsonb_build_object(
            'max_failures', configure_kind.max_failures,
            'max_lapses', configure_kind.max_lapses,
            'retry_delay', configure_kind.retry_delay,
            'retry_delay_max', configure_kind.retry_delay_max,
            'max_in_progress', configure_kind.max_in_progress,
            'provider', configure_kind.provider,
            'provider_account', configure_kind.provider_account,
            'task_budget', configure_kind.task_budget,
            'mode', configure_kind.mode,
            'min_comparisons', configure_kind.min_comparisons,
            'min_shadow_time', configure_kind.min_shadow_time,
            'min_agreement', configure_kind.min_agreement,
            'comparison_grace', configure_kind.comparison_grace,
            'ignored_paths', configure_kind.ignored_paths),
        configure_kind.reset);
END;
$$;

COMMENT ON FUNCTION board.configure_kind IS
$$Sets the policy of a kind (and makes the kind, if it is new) and returns its row. Pass arguments
by name: only those passed change.

name              name of the kind, 1 to 200 characters
max_failures      bigint > 0, the strike that escalates (3)
max_lapses        bigint > 0, the lapsed lease that escalates (none: never)
retry_delay       interval, wait after the first strike, doubled with each further one (0)
retry_delay_max   interval, longest wait after a strike (1 hour)
max_in_progress   bigint from 1 to 10,000, how many tasks agents may hold at one time (any number)
provider          name of the provider whose budget its tasks need (none)
provider_account  text, the account there ('')
task_budget       jsonb, what the calls of one task may use in all, as in '{"token": 200000}': the
                  call that would pass it goes to a person (none)
mode              'dry_run' or 'shadow' for a kind that has no task yet or is in a higher mode; up
                  goes only through board.promote() (live)
min_comparisons, min_shadow_time, min_agreement
                  what promotion to live needs (100, 1 day, 0.9)
comparison_grace  interval that one side of a comparison may wait for the other one before it
                  counts as a disagreement (1 hour)
ignored_paths     text[] of JSON paths that comparisons leave out, as in $.items[*].sent_at (none);
                  a change of these five, of the provider, the account or the mode starts the
                  count of comparisons again
reset             text[], names of arguments to set back to the value in parentheses
actor             who decides, for the log; NULL: the database role

Errors: 22023 for an argument out of range, TB007 for a mode that needs promote, 42501 for a name
that is another role's.
Example: SELECT * FROM board.configure_kind('send_invoice', max_failures => 5,
    retry_delay => '10 seconds');$$;
