CREATE OR REPLACE FUNCTION board._give_back(
    who      text,
    provider text,
    taken_at timestamptz,
    account  text,
    cost     bigint,
    units    jsonb)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _left jsonb;
    _caller text := board._caller();
    _id bigint;
    _ids bigint[] := ARRAY[]::bigint[];
    _is jsonb;
    _settled jsonb[] := ARRAY[]::jsonb[];
    _off jsonb;
    _given jsonb := '{}'::jsonb;
BEGIN
    -- Locks: the caller's own usage records, oldest first; when it has them all, the account's
    -- budgets on all units that come back, in their order; nothing is waited for after them. Each
    -- record is looked at again under its lock: another of the same name may have given it back.
    PERFORM board._check_provider(_give_back.provider, _give_back.account);
    _left := board._needed_units(_give_back.cost, _give_back.units);
    -- A day of grace, for a clock that has been set back since.
    IF _give_back.taken_at IS NULL OR NOT isfinite(_give_back.taken_at)
        OR _give_back.taken_at > clock_timestamp() + interval '1 day'
    THEN
        PERFORM board._invalid_argument('taken_at',
            format('is %s', coalesce(_give_back.taken_at::text, 'NULL')),
            'Pass a moment at or just before the take, by the database''s clock.');
    END IF;
    FOR _id IN
        SELECT u.id
          FROM board.usage_records AS u
         WHERE u.provider = _give_back.provider
           AND u.account = _give_back.account
           AND u.taken_at >= _give_back.taken_at
           AND u.task_id IS NULL
           AND u.db_user = _caller
           AND u.agent IS NOT DISTINCT FROM who
         ORDER BY u.taken_at, u.id
    LOOP
        SELECT jsonb_object_agg(k.unit, (u.units ->> k.unit)::bigint - k.off),
               jsonb_object_agg(k.unit, k.off)
          INTO _is, _off
          FROM (SELECT r.units, r.refundable FROM board.usage_records AS r
                 WHERE r.id = _id FOR UPDATE) AS u
         CROSS JOIN LATERAL (
               SELECT e.key AS unit,
                      least(e.value::bigint, coalesce((u.refundable ->> e.key)::bigint, 0)) AS off
                 FROM jsonb_each(_left) AS e) AS k
         WHERE k.off > 0;
        CONTINUE WHEN _is IS NULL;
        _ids := _ids || _id;
        _settled := _settled || _is;
        SELECT jsonb_object_agg(e.key, e.value::bigint - coalesce((_off ->> e.key)::bigint, 0)),
               jsonb_object_agg(e.key, coalesce((_off ->> e.key)::bigint, 0)
                                       + coalesce((_given ->> e.key)::bigint, 0))
          INTO _left, _given
          FROM jsonb_each(_left) AS e;
        EXIT WHEN NOT EXISTS (SELECT FROM jsonb_each(_left) AS e WHERE e.value <> '0');
    END LOOP;
    PERFORM board._budgets_for_update(_give_back.provider, _give_back.account,
        ARRAY(SELECT k.unit FROM jsonb_object_keys(_given) AS k (unit)));
    FOR _i IN 1 .. cardinality(_ids) LOOP
        PERFORM board._settle_usage(_ids[_i], _settled[_i]);
    END LOOP;
    IF _given <> '{}' THEN
        PERFORM board._audit(who, 'give_back', 'provider:' || _give_back.provider,
            jsonb_build_object('account', _give_back.account, 'units', _given));
    END IF;
    RETURN coalesce((_given ->> 'call')::bigint, 0);
END;
$$;

COMMENT ON FUNCTION board._give_back IS
    'Private: body of give_back for the checked name who (NULL: the database role).';
