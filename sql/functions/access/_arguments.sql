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
    _checked jsonb := '{}';
    _names   text[] := '{}';
    _parts   text[];
    _value   jsonb;
BEGIN
    -- expected holds "name type" for an argument that must be there and "name type = default" for
    -- one that may be left out, as _actions() writes them.
    IF jsonb_typeof(arguments) <> 'object' THEN
        PERFORM board._refuse('arguments', 'is not a JSON object');
    END IF;
    FOR _parts IN
        SELECT regexp_match(e.text, '^(\w+) ([^=]+?)(?: = (.*))?$') FROM unnest(expected) AS e (text)
    LOOP
        _names := _names || _parts[1];
        IF _parts[2] = 'who' THEN
            -- Whom the token speaks for is settled. The name may be said, and must be that one.
            CONTINUE WHEN coalesce(arguments -> _parts[1], to_jsonb(who)) = to_jsonb(who);
            RAISE EXCEPTION USING
                ERRCODE = '42501',
                MESSAGE = format('"%s" is not whom the token speaks for', _parts[1]),
                DETAIL = format('The token speaks for "%s".', who),
                HINT = format('Leave "%s" out.', _parts[1]);
        END IF;
        _value := arguments -> _parts[1];
        IF _value IS NULL THEN
            IF _parts[3] IS NULL THEN
                PERFORM board._refuse(_parts[1], 'is missing', board._usage(expected));
            END IF;
            _value := _parts[3]::jsonb;
        END IF;
        PERFORM board._refuse(_parts[1], p.problem, board._usage(expected))
           FROM board._argument_problem(_value, _parts[2]) AS p (problem)
          WHERE p.problem IS NOT NULL;
        IF _parts[2] IN ('integer', 'bigint') AND jsonb_typeof(_value) = 'number' THEN
            -- 5.0 is a whole number in JSON, and not in the input of integer.
            _value := to_jsonb(trunc(_value::numeric));
        END IF;
        _checked := _checked || jsonb_build_object(_parts[1], _value);
    END LOOP;
    PERFORM board._refuse(left(k.name, 200), 'is not an argument of this action', board._usage(expected))
       FROM jsonb_object_keys(arguments) AS k (name)
      WHERE k.name <> ALL (_names);
    RETURN _checked;
END;
$$;

COMMENT ON FUNCTION board._arguments(text, text[], jsonb) IS
    'Private: the arguments of an action, each of its type and with the defaults filled in; 22023 naming one that is missing, unknown or of another type, 42501 for somebody else''s name.';
