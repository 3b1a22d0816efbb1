CREATE OR REPLACE FUNCTION board._random_secret()
RETURNS bytea
LANGUAGE sql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
    -- gen_random_uuid() draws on the server's strong random source and leaves 122 random bits in
    -- each UUID (6 are fixed). Three of them hold 366 bits; SHA-256 condenses them into 32 bytes
    -- with nothing fixed among them, and there is more in than comes out. random() would be
    -- guessable.
    SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
                  || uuid_send(gen_random_uuid()));
$$;

COMMENT ON FUNCTION board._random_secret IS 'Private: 32 bytes that nobody can guess.';
