CREATE OR REPLACE FUNCTION board._ticket(
    decision    text,
    call        board.calls,
    provider    board.providers DEFAULT NULL,
    response    jsonb           DEFAULT NULL,
    retry_after interval        DEFAULT NULL)
RETURNS board.call_ticket
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _ticket board.call_ticket;
BEGIN
    -- Only what may be sent has an address and a signature: whoever overlooks the decision finds
    -- nowhere to send to.
    _ticket.decision := decision;
    _ticket.idempotency_key := call.idempotency_key;
    _ticket.response := response;
    _ticket.retry_after := retry_after;
    IF decision IN ('send', 'sandbox', 'suppress') THEN
        _ticket.body := call.body;
    END IF;
    IF decision IN ('send', 'sandbox') THEN
        _ticket.url := call.url;
        _ticket.headers := jsonb_build_object('Idempotency-Key', call.idempotency_key);
        IF call.body IS NOT NULL THEN
            _ticket.headers := _ticket.headers || '{"Content-Type": "application/json"}';
        END IF;
        IF (provider).signing_key IS NOT NULL THEN
            _ticket.headers := _ticket.headers || board._sign(
                (provider).signing_key, call.idempotency_key, coalesce(call.body, ''));
        END IF;
    END IF;
    RETURN _ticket;
END;
$$;

COMMENT ON FUNCTION board._ticket IS
    'Private: the answer of begin_call for that decision; signs what may be sent.';
