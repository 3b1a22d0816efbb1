CREATE OR REPLACE FUNCTION board._plan_tasks(tasks jsonb)
RETURNS TABLE (
    n          int,
    name       text,
    kind       text,
    payload    jsonb,
    priority   bigint,
    run_at     timestamptz,
    unique_key text,
    needs      text[])
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task jsonb;
    _where text;
    _list jsonb;
    _wrong text;
BEGIN
    -- Reads no table. What a task is about is told as tasks[N] (its place, from 1) and its name.
    IF jsonb_typeof(tasks) IS DISTINCT FROM 'array' THEN
        PERFORM board._invalid_argument('tasks', 'is not a JSON array',
            'Pass an array of objects: [{"name": "a", "kind": "draft", "needs": []}].');
    ELSIF jsonb_array_length(tasks) NOT BETWEEN 1 AND 10000 THEN
        PERFORM board._invalid_argument('tasks', format('has %s elements',
            jsonb_array_length(tasks)), 'A plan has 1 to 10,000 tasks.');
    END IF;
    n := 0;
    FOR _task IN SELECT t.value FROM jsonb_array_elements(tasks) AS t (value) LOOP
        n := n + 1;
        _where := format('tasks[%s]', n);
        IF jsonb_typeof(_task) <> 'object' THEN
            PERFORM board._invalid_argument(_where, 'is not a JSON object');
        END IF;
        SELECT k.key INTO _wrong
          FROM jsonb_object_keys(_task) AS k (key)
         WHERE k.key NOT IN ('name', 'kind', 'payload', 'priority', 'run_at', 'unique_key', 'needs')
         LIMIT 1;
        IF _wrong IS NOT NULL THEN
            PERFORM board._invalid_argument(_where, format('has a field "%s"', left(_wrong, 100)),
                'Fields are name, kind, payload, priority, run_at, unique_key and needs.');
        END IF;
        SELECT k.key INTO _wrong
          FROM jsonb_each(_task) AS k (key, value)
         WHERE jsonb_typeof(k.value) <> 'null'
           AND jsonb_typeof(k.value) <> CASE k.key WHEN 'payload' THEN jsonb_typeof(k.value)
                                             WHEN 'priority' THEN 'number'
                                             WHEN 'needs' THEN 'array' ELSE 'string' END
         LIMIT 1;
        IF _wrong IS NOT NULL THEN
            PERFORM board._invalid_argument(format('%s.%s', _where, _wrong), 'is of the wrong type',
                'priority is a number, needs an array of strings, the others but payload strings.');
        END IF;
        _list := coalesce(nullif(_task -> 'needs', 'null'), '[]');
        IF EXISTS (SELECT FROM jsonb_array_elements(_list) AS e (value)
                    WHERE jsonb_typeof(e.value) <> 'string') THEN
            PERFORM board._invalid_argument(_where || '.needs', 'has an element that is no string',
                'A need is the name of a task of this plan, or the id of a task on the board.');
        END IF;
        name := _task ->> 'name';
        PERFORM board._check_name(name, _where || '.name');
        kind := _task ->> 'kind';
        PERFORM board._check_name(kind, _where || '.kind');
        payload := coalesce(nullif(_task -> 'payload', 'null'), '{}');
        PERFORM board._check_payload(payload, _where || '.payload');
        unique_key := _task ->> 'unique_key';
        PERFORM board._check_key(unique_key, _where || '.unique_key');
        BEGIN
            priority := coalesce((_task ->> 'priority')::bigint, 0);
            run_at := (_task ->> 'run_at')::timestamptz;
        EXCEPTION
            WHEN data_exception THEN
                PERFORM board._invalid_argument(_where, 'has a priority or a run_at that is none',
                    'priority is a whole number, run_at a time as in 2030-01-31T09:00:00Z.');
        END;
        PERFORM board._check_int(priority, _where || '.priority');
        PERFORM board._check_time(run_at, _where || '.run_at') WHERE run_at IS NOT NULL;
        needs := ARRAY(SELECT DISTINCT e.value FROM jsonb_array_elements_text(_list) AS e (value)
                        ORDER BY 1);
        RETURN NEXT;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._plan_tasks IS
    'Private: the tasks of a plan, each with its place in it, checked one by one; 22023 names the '
    'place and the field.';
