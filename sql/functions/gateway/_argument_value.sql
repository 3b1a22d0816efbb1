CREATE OR REPLACE FUNCTION board._argument_value(
    value jsonb,
    type  text)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Arrays become what their type's input reads; a default has that form already. 5.0 is a whole
    -- number in JSON, and nothing that the input of integers takes.
    SELECT CASE
        WHEN type = 'jsonb[]' AND jsonb_typeof(value) = 'array'
            THEN to_jsonb(ARRAY(SELECT jsonb_array_elements(value))::text)
        WHEN type LIKE '%[]' AND jsonb_typeof(value) = 'array'
            THEN to_jsonb(ARRAY(SELECT jsonb_array_elements_text(value))::text)
        WHEN type IN ('integer', 'bigint') AND jsonb_typeof(value) = 'number'
            THEN to_jsonb(trunc(value::numeric))
        ELSE value
    END;
$$;

COMMENT ON FUNCTION board._argument_value IS
    'Private: an argument of request() that is of its type, such that (arguments ->> name)::type is '
    'its value, and arguments -> name for jsonb.';
