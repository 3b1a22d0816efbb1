CREATE OR REPLACE FUNCTION board._key_is_known(
    honours_idempotency boolean,
    idempotency_window  interval,
    sent_at             timestamptz)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _age double precision := extract(epoch FROM clock_timestamp() - sent_at);
BEGIN
    -- In seconds: a day is 24 hours.
    RETURN honours_idempotency IS TRUE
       AND (idempotency_window IS NULL OR _age < extract(epoch FROM idempotency_window));
END;
$$;

COMMENT ON FUNCTION board._key_is_known IS
    'Private: whether a provider of these properties still knows the key of a call that was sent '
    'at that moment, so that to send it again does nothing twice.';
