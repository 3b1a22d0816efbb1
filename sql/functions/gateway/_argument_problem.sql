CREATE OR REPLACE FUNCTION board._argument_problem(
    value jsonb,
    type  text)
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _json text := jsonb_typeof(value);
    _string text;
BEGIN
    -- Nothing but a scalar is printed here, and that only where its type fits: an array of numbers
    -- can print as gigabytes. NULL for any type is the verb's own to refuse. A value is never
    -- repeated: it might be a token.
    IF _json = 'null' OR type = 'jsonb' THEN
        RETURN NULL;
    ELSIF right(type, 2) = '[]' THEN
        IF _json <> 'array' THEN
            RETURN 'is not a JSON array';
        END IF;
        RETURN (SELECT 'has an element that ' || min(p.problem)
                  FROM jsonb_array_elements(value) AS e (value)
                 CROSS JOIN board._argument_problem(e.value, left(type, -2)) AS p (problem));
    ELSIF type IN ('integer', 'bigint', 'numeric', 'double precision') THEN
        IF _json <> 'number' THEN
            RETURN 'is not a JSON number';
        ELSIF type IN ('integer', 'bigint') AND value::numeric <> trunc(value::numeric) THEN
            RETURN 'is not a whole number';
        END IF;
    ELSIF type = 'boolean' THEN
        RETURN CASE WHEN _json <> 'boolean' THEN 'is not true or false' END;
    ELSIF _json <> 'string' THEN
        RETURN 'is not a JSON string';
    END IF;
    -- What only the type's own input can tell.
    _string := value #>> '{}';
    BEGIN
        CASE type
            WHEN 'text' THEN NULL;
            WHEN 'uuid' THEN PERFORM _string::uuid;
            WHEN 'interval' THEN PERFORM _string::interval;
            WHEN 'timestamptz' THEN PERFORM _string::timestamptz;
            WHEN 'integer' THEN PERFORM trunc(_string::numeric)::int;
            WHEN 'bigint' THEN PERFORM trunc(_string::numeric)::bigint;
            WHEN 'double precision' THEN PERFORM _string::double precision;
            WHEN 'numeric' THEN NULL;
        END CASE;
    EXCEPTION
        WHEN numeric_value_out_of_range THEN
            RETURN 'is too large';
        WHEN data_exception THEN
            RETURN format('is no %s', type);
    END;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._argument_problem IS
    'Private: what keeps a JSON value from being of that type, as the end of a sentence; NULL: nothing.';
