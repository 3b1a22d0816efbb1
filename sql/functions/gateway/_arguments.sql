CREATE OR REPLACE FUNCTION board._arguments(
    who       text,
    action    text,
    arguments jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _checked jsonb := '{}'::jsonb;
    _rest jsonb := arguments;
    _expected record;
    _value jsonb;
    _problem text;
    _name text;
    _wrong text;
BEGIN
    -- One walk over what the action takes; then what is unknown is refused before what is missing,
    -- because the one is often the other, misspelt.
    IF jsonb_typeof(arguments) <> 'object' THEN
        PERFORM board._invalid_argument('arguments', 'is not a JSON object');
    END IF;
    FOR _expected IN SELECT a.* FROM board._action_arguments(action) AS a LOOP
        _value := arguments -> _expected.name;
        _rest := _rest - _expected.name;
        IF _expected.name IN ('agent', 'actor') THEN
            -- Whom the token speaks for is settled. The name may be said, and must be that one.
            CONTINUE WHEN _value IS NULL OR _value = to_jsonb(who);
            RAISE EXCEPTION USING
                ERRCODE = '42501',
                MESSAGE = format('"%s" is not whom the token speaks for', _expected.name),
                DETAIL = format('The token speaks for "%s".', who),
                HINT = format('Leave "%s" out.', _expected.name);
        ELSIF _value IS NOT NULL THEN
            _problem := board._argument_problem(_value, _expected.type);
            -- Before anything prints it, which the next lines and the verbs do.
            IF _expected.type = 'jsonb' THEN
                PERFORM board._check_payload(_value, _expected.name);
            ELSIF _expected.type = 'jsonb[]' AND _problem IS NULL THEN
                PERFORM board._check_payload(e.value, _expected.name)
                   FROM jsonb_array_elements(nullif(_value, 'null')) AS e (value);
            END IF;
        ELSIF _expected.optional THEN
            _value := _expected.standard;
        ELSE
            _problem := 'is missing';
        END IF;
        IF _problem IS NOT NULL THEN
            _name := coalesce(_name, _expected.name);
            _wrong := coalesce(_wrong, _problem);
            _problem := NULL;
            CONTINUE;
        END IF;
        -- So that (arguments ->> name)::type is the value: an array becomes what its type's input
        -- reads (a default has that form already); 5.0 is a whole number in JSON, and nothing that
        -- the input of integers takes.
        IF jsonb_typeof(_value) = 'array' AND _expected.type = 'jsonb[]' THEN
            _value := to_jsonb(ARRAY(SELECT jsonb_array_elements(_value))::text);
        ELSIF jsonb_typeof(_value) = 'array' AND _expected.type LIKE '%[]' THEN
            _value := to_jsonb(ARRAY(SELECT jsonb_array_elements_text(_value))::text);
        ELSIF jsonb_typeof(_value) = 'number' AND _expected.type IN ('integer', 'bigint') THEN
            _value := to_jsonb(trunc(_value::numeric));
        END IF;
        _checked := _checked || jsonb_build_object(_expected.name, _value);
    END LOOP;
    IF _rest <> '{}' THEN
        SELECT min(r.key) INTO _name FROM jsonb_object_keys(_rest) AS r (key);
        _wrong := 'is not an argument of this action';
        -- What is as long as a token might be one, and is not repeated.
        IF length(_name) > 40 THEN
            _name := 'arguments';
            _wrong := 'has a name in it that is far too long';
        END IF;
    END IF;
    IF _name IS NOT NULL THEN
        PERFORM board._invalid_argument(_name, _wrong, board._describe_arguments(action));
    END IF;
    RETURN _checked;
END;
$$;

COMMENT ON FUNCTION board._arguments IS
    'Private: the arguments of an action, each of its type and with the defaults filled in (null: '
    'NULL); 22023 naming one that is missing, unknown or of another type, 42501 for somebody else''s '
    'name.';
