CREATE OR REPLACE FUNCTION board._next_cron_time(
    bits bit varying[],
    from_ timestamp)
RETURNS timestamp
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _year int := extract(year FROM from_);
    _month int := extract(month FROM from_);
    _day int := extract(day FROM from_);
    _hour int := extract(hour FROM from_);
    _minute int := extract(minute FROM from_);
    _first date;
    _length int;
    _weekdays bit varying;
    _days bit varying;
    _step int;
BEGIN
    -- Goes from one set bit to the next, the large before the small: a step of month, day or hour
    -- begins again with the least of what is smaller. Each turn of the outer loop is one of the
    -- chosen months or a new year, so that 29 February costs two turns a year. It ends: _cron_bits
    -- has refused dates that never come, and after the year 9999 there is nothing.
    WHILE _year <= 9999 LOOP
        _step := position(B'1' IN substring(bits[4] FROM _month));
        IF _step = 0 THEN
            _year := _year + 1;
            _month := 1;
            _day := 1;
            _hour := 0;
            _minute := 0;
            CONTINUE;
        ELSIF _step > 1 THEN
            _month := _month + _step - 1;
            _day := 1;
            _hour := 0;
            _minute := 0;
        END IF;
        -- The days of this month that match: the week, repeated, from the first day's weekday on.
        _first := make_date(_year, _month, 1);
        _length := make_date(_year + _month / 12, _month % 12 + 1, 1) - _first;
        _weekdays := substring(
            bits[5] || bits[5] || bits[5] || bits[5] || bits[5] || bits[5]
            FROM extract(dow FROM _first)::int + 1 FOR 31);
        _days := substring(CASE WHEN bits[6] = B'1' THEN bits[3] | _weekdays
                                ELSE bits[3] & _weekdays END FROM 1 FOR _length);
        LOOP
            _step := position(B'1' IN substring(_days FROM _day));
            EXIT WHEN _step = 0;
            IF _step > 1 THEN
                _day := _day + _step - 1;
                _hour := 0;
                _minute := 0;
            END IF;
            LOOP
                _step := position(B'1' IN substring(bits[2] FROM _hour + 1));
                EXIT WHEN _step = 0;
                IF _step > 1 THEN
                    _hour := _hour + _step - 1;
                    _minute := 0;
                END IF;
                _step := position(B'1' IN substring(bits[1] FROM _minute + 1));
                IF _step > 0 THEN
                    RETURN make_timestamp(_year, _month, _day, _hour, _minute + _step - 1, 0);
                END IF;
                _hour := _hour + 1;
                _minute := 0;
            END LOOP;
            _day := _day + 1;
            _hour := 0;
            _minute := 0;
        END LOOP;
        _month := _month + 1;
        _day := 1;
        _hour := 0;
        _minute := 0;
    END LOOP;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._next_cron_time IS
    'Private: the first minute that the bits of a cron expression match, from_ (a whole minute) '
    'included, on a clock that is never changed; NULL when none comes before the year 10000.';
