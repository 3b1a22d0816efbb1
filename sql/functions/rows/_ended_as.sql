CREATE OR REPLACE FUNCTION board._ended_as(
    ended   jsonb,
    who     text,
    attempt bigint,
    verb    text,
    digest  text)
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Without attempt nobody can tell a repetition from a verb for the next attempt.
    IF attempt IS NULL OR ended IS NULL
       OR (ended ->> 'attempt')::bigint <> attempt
       OR ended ->> 'agent' <> who OR ended ->> 'verb' <> verb THEN
        RETURN NULL;
    ELSIF ended ->> 'digest' IS DISTINCT FROM digest THEN
        RAISE EXCEPTION USING
            ERRCODE = 'TB004',
            MESSAGE = 'attempt ended with another payload',
            DETAIL = format('You ended attempt %s by %s(); what it was given is not what is passed '
                            'now.', attempt, verb),
            HINT = 'What was said first stands.';
    END IF;
    RETURN ended ->> 'answer';
END;
$$;

COMMENT ON FUNCTION board._ended_as IS
    'Private: the answer that who was given when this verb ended this attempt, from tasks.ended; '
    'NULL: it did not, or attempt is NULL. TB004 when it was given something else.';
