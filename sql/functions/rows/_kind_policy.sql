CREATE OR REPLACE FUNCTION board._kind_policy(name text)
RETURNS board.kinds
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _kind board.kinds;
BEGIN
    -- The defaults stand here and in tables/rows.sql; a pgTAP test holds them against each other.
    SELECT k.* INTO _kind FROM board.kinds AS k WHERE k.name = _kind_policy.name;
    IF NOT FOUND THEN
        _kind.name := _kind_policy.name;
        _kind.max_failures := 3;
        _kind.retry_delay := '0';
        _kind.retry_delay_max := '1 hour';
        _kind.provider_account := '';
        _kind.mode := 'live';
        _kind.mode_since := '1970-01-01 00:00+00';
        _kind.min_comparisons := 100;
        _kind.min_shadow_time := '1 day';
        _kind.min_agreement := 0.9;
        _kind.comparison_grace := '1 hour';
        _kind.ignored_paths := '{}';
        _kind.paused := false;
    END IF;
    RETURN _kind;
END;
$$;

COMMENT ON FUNCTION board._kind_policy IS
    'Private: the policy of a kind: its row of board.kinds, or the defaults when it has none.';
