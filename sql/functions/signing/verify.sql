CREATE OR REPLACE FUNCTION board.verify(
    key_name  text,
    headers   jsonb,
    body      text,
    tolerance interval DEFAULT '5 minutes')
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _id text := board._webhook_header(headers, 'webhook-id');
    _time text := board._webhook_header(headers, 'webhook-timestamp');
    _signature text := board._webhook_header(headers, 'webhook-signature');
    _given bytea[];
    _secret bytea;
    _expected text;
BEGIN
    -- Reads the secrets and locks nothing. What comes from outside is matched against patterns and
    -- never cast before, so nothing of it can raise. An id with a dot is refused even when signed:
    -- the same signature would fit another split of "id.timestamp.body".
    -- Ten thousand characters hold 200 signatures; a rotation needs two.
    IF body IS NULL OR tolerance IS NULL OR coalesce(length(_signature) > 10000, true)
        OR coalesce(_time !~ '^[0-9]{1,12}$', true)
        OR coalesce(_id !~ '^[^.[:space:][:cntrl:]]{1,200}$', true)
    THEN
        RETURN false;
    ELSIF abs(extract(epoch FROM _now) - _time::numeric) > extract(epoch FROM tolerance) THEN
        RETURN false;
    END IF;
    -- Digests are compared and not the signatures: how far two of them agree tells nothing about
    -- how near a forgery came, so the time that the comparison takes does not either. One HMAC a
    -- secret, however many signatures were sent.
    _given := ARRAY(SELECT sha256(convert_to(g.value, 'UTF8'))
                      FROM string_to_table(_signature, ' ') AS g (value));
    FOR _secret IN
        SELECT s.secret
          FROM board.signing_secrets AS s
         WHERE s.key_name = verify.key_name AND (s.valid_until IS NULL OR s.valid_until > _now)
    LOOP
        _expected := 'v1,' || encode(board.hmac_sha256(
            convert_to(_id || '.' || _time || '.' || body, 'UTF8'), _secret), 'base64');
        IF sha256(convert_to(_expected, 'UTF8')) = ANY (_given) THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END;
$$;

COMMENT ON FUNCTION board.verify IS
$$Tells whether a webhook that came in is signed with this key and fresh, as Standard Webhooks 1.0.0
describes. A webhook verifies each time it comes while it is fresh: pass its webhook-id to enqueue
as unique_key.

key_name   of create_signing_key or import_signing_key
headers    jsonb, the headers of the HTTP request, names in any case; only webhook-* are looked at
body       as received, byte for byte, before any JSON parser touched it
tolerance  interval, how far webhook-timestamp may be from the database's clock, either way

Returns false, too, for an unknown key and for whatever the other side may have sent. Raises
nothing.
Example: SELECT board.verify('payments-inbound', '{"webhook-id": "msg_1"}', '{"paid": true}');$$;
