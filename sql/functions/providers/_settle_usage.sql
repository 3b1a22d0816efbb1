CREATE OR REPLACE FUNCTION board._settle_usage(
    usage_id bigint,
    used     jsonb)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _record board.usage_records;
    _unit text;
    _was bigint;
    _is bigint;
    _change bigint;
    _changes jsonb := '{}'::jsonb;
    _locked record;
    _now timestamptz;
BEGIN
    -- Locks: the usage record, then the account's budgets on the units that change, in order of
    -- unit and period; nothing is waited for after them. The record's lock puts two settlements of
    -- one call one after the other: the second sees what the first has changed.
    -- More than was counted has happened, so it is counted now, also above the limit, and whoever
    -- takes next waits. Less is given back, at most as much as still counts as of the take: what
    -- was added later stays where it is.
    SELECT u.* INTO _record FROM board.usage_records AS u WHERE u.id = usage_id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    FOR _unit, _is IN SELECT e.key, e.value::bigint FROM jsonb_each(used) AS e LOOP
        _was := coalesce((_record.units ->> _unit)::bigint, 0);
        _change := greatest(_is - _was, -coalesce((_record.refundable ->> _unit)::bigint, 0));
        _record.units := _record.units || jsonb_build_object(_unit, _is);
        IF _change <> 0 THEN
            _changes := _changes || jsonb_build_object(_unit, _change);
        END IF;
        IF _change < 0 THEN
            _record.refundable := _record.refundable || jsonb_build_object(
                _unit, (_record.refundable ->> _unit)::bigint + _change);
        END IF;
    END LOOP;
    IF _record.provider IS NOT NULL AND _changes <> '{}' THEN
        _locked := board._budgets_for_update(_record.provider, _record.account,
            ARRAY(SELECT k.unit FROM jsonb_object_keys(_changes) AS k (unit)));
        _now := clock_timestamp();
        PERFORM board._change_usage(_record.provider, _record.account, _locked.units,
            _locked.periods, _changes, _now, _record.taken_at, _record.id);
    END IF;
    UPDATE board.usage_records AS u
       SET units = _record.units, refundable = _record.refundable
     WHERE u.id = usage_id;
END;
$$;

COMMENT ON FUNCTION board._settle_usage IS
    'Private: puts what was really used of some units in place of what a usage record counts as; '
    'used is checked. Nothing when the record has been pruned.';
