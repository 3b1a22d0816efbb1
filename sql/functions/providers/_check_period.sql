CREATE OR REPLACE FUNCTION board._check_period(period interval)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Budgets count in microseconds, so a month, which is no length, has no place in them.
    IF period IS NULL THEN
        PERFORM board._invalid_argument('period', 'is NULL',
            'Pass the length of the window, as in ''1 second''.');
    ELSIF period NOT BETWEEN '1 millisecond' AND '366 days' THEN
        PERFORM board._invalid_argument('period', format('is %s', period),
            'A limit''s window is 1 millisecond to 366 days long.');
    ELSIF extract(year FROM period) <> 0 OR extract(month FROM period) <> 0 THEN
        PERFORM board._invalid_argument('period', format('is %s', period),
            'Months are not all of one length: say it in days, as in ''31 days''.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_period IS
    'Private: 1 millisecond to 366 days and no months; else 22023.';
