CREATE OR REPLACE FUNCTION board.sign(
    key_name   text,
    message_id text,
    body       text)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM board._check_name(key_name, 'key_name');
    PERFORM board._check_name(message_id, 'message_id');
    IF body IS NULL THEN
        PERFORM board._invalid_argument('body', 'is NULL', 'Pass the body that you are going to send; it may be empty.');
    END IF;
    RETURN board._sign(key_name, message_id, body);
END;
$$;

COMMENT ON FUNCTION board.sign IS
$$Signs a webhook as Standard Webhooks 1.0.0 describes: HMAC-SHA256 over "id.timestamp.body" with
the key's secret, and with the one before it while a rotation lasts.

key_name    of create_signing_key; one of import_signing_key verifies and never signs
message_id  1 to 200 characters without dots and blanks; the same when a delivery is tried again
body        what is going to be sent, byte for byte: not a JSON value that is written out again

Returns a JSON object of the headers webhook-id, webhook-timestamp (seconds) and webhook-signature
(v1,BASE64; several apart by a blank).
Errors: 22023 naming the argument.
Example: SELECT board.sign('billing-api', 'msg_1', '{"paid": true}');$$;
