CREATE OR REPLACE FUNCTION board._quote_name(name text)
RETURNS text
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN name ~ '^[[:alnum:]_.@:/+-]+$' THEN name ELSE to_json(name)::text END;
$$;

COMMENT ON FUNCTION board._quote_name IS
    'Private: a name as it stands in a sentence: in quotes when it has more in it than letters, '
    'digits and _.@:/+-, so that it cannot be read as a part of the sentence.';
