CREATE OR REPLACE FUNCTION board.idempotency_key(
    task_id uuid,
    step    text)
RETURNS text
LANGUAGE sql
IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- convert_to and not a cast: a cast to bytea reads backslashes as escapes, and the key must not
    -- depend on the encoding of the database.
    SELECT encode(sha256(convert_to(task_id || ':' || step, 'UTF8')), 'hex');
$$;

COMMENT ON FUNCTION board.idempotency_key IS
$$The key that names one step of one task towards a provider: SHA-256 of task_id:step in lower-case
hex. The same for every attempt, different for every other task and step, and anybody can compute it
without the board.

task_id  uuid of the task, written in lower case with hyphens
step     text, name of the step; taken as UTF-8

Returns text of 64 characters, NULL if an argument is. No errors.
Example: SELECT board.idempotency_key('00000000-0000-0000-0000-000000000001', 'charge');
Shell: printf '%s' '00000000-0000-0000-0000-000000000001:charge' | sha256sum
Use: the Idempotency-Key header field (draft-ietf-httpapi-idempotency-key-header).$$;
