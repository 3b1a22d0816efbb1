CREATE OR REPLACE FUNCTION board._arguments(
    who       text,
    expected  text[],
    arguments jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _checked jsonb := '{}'::jsonb;
    _parts text[];
    _name text;
    _value jsonb;
    _problem text;
BEGIN
    -- expected holds "name type" for an argument that must be there and "name type = default" for
    -- one that may be left out, as _actions() writes them.
    IF jsonb_typeof(arguments) <> 'object' THEN
        PERFORM board._invalid_argument('arguments', 'is not a JSON object');
    END IF;
    FOREACH _name IN ARRAY ARRAY(SELECT jsonb_object_keys(arguments)) LOOP
        IF NOT EXISTS (SELECT FROM unnest(expected) AS e (text)
                        WHERE split_part(e.text, ' ', 1) = _name)
        THEN
            -- What is as long as a token might be one, and is not repeated.
            IF length(_name) > 40 THEN
                PERFORM board._invalid_argument('arguments', 'has a name in it that is far too long',
                                      board._describe_arguments(expected));
            END IF;
            PERFORM board._invalid_argument(_name, 'is not an argument of this action',
                                  board._describe_arguments(expected));
        END IF;
    END LOOP;
    FOR _parts IN
        SELECT regexp_match(e.text, '^(\w+) ([^ ]+)(?: = (.*))?$') FROM unnest(expected) AS e (text)
    LOOP
        _name := _parts[1];
        _value := arguments -> _name;
        IF _parts[2] = 'who' THEN
            -- Whom the token speaks for is settled. The name may be said, and must be that one.
            CONTINUE WHEN _value IS NULL OR _value = to_jsonb(who);
            RAISE EXCEPTION USING
                ERRCODE = '42501',
                MESSAGE = format('"%s" is not whom the token speaks for', _name),
                DETAIL = format('The token speaks for "%s".', who),
                HINT = format('Leave "%s" out.', _name);
        ELSIF _value IS NULL AND _parts[3] IS NULL THEN
            PERFORM board._invalid_argument(_name, 'is missing',
                                            board._describe_arguments(expected));
        END IF;
        _value := coalesce(_value, _parts[3]::jsonb);
        _problem := board._argument_problem(_value, _parts[2]);
        IF _problem IS NOT NULL THEN
            PERFORM board._invalid_argument(_name, _problem, board._describe_arguments(expected));
        ELSIF _parts[2] IN ('int', 'bigint') AND jsonb_typeof(_value) = 'number' THEN
            -- 5.0 is a whole number in JSON, and nothing that the input of int takes.
            _value := to_jsonb(trunc(_value::numeric));
        END IF;
        _checked := _checked || jsonb_build_object(_name, _value);
    END LOOP;
    RETURN _checked;
END;
$$;

COMMENT ON FUNCTION board._arguments IS
    'Private: the arguments of an action, each of its type and with the defaults filled in; 22023 naming one that is missing, unknown or of another type, 42501 for somebody else''s name.';
