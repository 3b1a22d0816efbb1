CREATE OR REPLACE FUNCTION board._check_configuration(
    max_failures     int,
    max_lapses       int,
    retry_delay      interval,
    retry_delay_max  interval,
    max_in_progress  int,
    provider         text,
    provider_account text,
    mode             text,
    min_comparisons  int,
    min_shadow_time  interval,
    min_agreement    numeric,
    comparison_grace interval,
    ignored_paths    text[],
    reset            text[])
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _resettable CONSTANT text[] := ARRAY['max_failures', 'max_lapses', 'retry_delay',
        'retry_delay_max',
        'max_in_progress', 'provider', 'provider_account', 'min_comparisons', 'min_shadow_time',
        'min_agreement', 'comparison_grace', 'ignored_paths'];
BEGIN
    -- Each check refuses a value that is present and out of range; NULL means "not passed".
    PERFORM board._invalid_argument('max_failures', 'is ' || max_failures, 'Pass a number above 0.')
      WHERE max_failures < 1;
    PERFORM board._invalid_argument('max_lapses', 'is ' || max_lapses, 'Pass a number above 0.')
      WHERE max_lapses < 1;
    PERFORM board._check_delay(retry_delay, 'retry_delay');
    PERFORM board._check_delay(retry_delay_max, 'retry_delay_max');
    PERFORM board._invalid_argument('max_in_progress', 'is ' || max_in_progress,
        'Pass a number from 1 to 10000.')
      WHERE max_in_progress NOT BETWEEN 1 AND 10000;
    IF provider IS NOT NULL THEN
        PERFORM board._check_name(provider, 'provider');
        PERFORM board._invalid_argument('provider',
            format('names "%s", which is not configured', provider),
            'SELECT board.configure_provider(…) first, or check the spelling.')
          WHERE NOT EXISTS (SELECT FROM board.providers AS p WHERE p.name = provider);
    END IF;
    -- As begin_call will want it.
    PERFORM board._check_name(provider_account, 'provider_account') WHERE provider_account <> '';
    PERFORM board._invalid_argument('mode', format('is "%s"', left(mode, 100)),
        'Pass dry_run, shadow or live.')
      WHERE mode NOT IN ('dry_run', 'shadow', 'live');
    PERFORM board._invalid_argument('min_comparisons', 'is ' || min_comparisons, 'Pass 0 or more.')
      WHERE min_comparisons < 0;
    PERFORM board._check_delay(min_shadow_time, 'min_shadow_time');
    PERFORM board._invalid_argument('min_agreement', 'is ' || min_agreement, 'Pass a number from 0 to 1.')
      WHERE min_agreement NOT BETWEEN 0 AND 1;
    PERFORM board._check_delay(comparison_grace, 'comparison_grace');
    PERFORM board._check_ignored_paths(ignored_paths);
    PERFORM board._invalid_argument('reset', 'names what cannot be reset',
                          'Pass names out of: ' || array_to_string(_resettable, ', ') || '.')
      WHERE NOT reset <@ _resettable OR array_position(reset, NULL) IS NOT NULL;
END;
$$;

COMMENT ON FUNCTION board._check_configuration IS
    'Private: 22023 for the first argument of configure_kind that is out of range.';
