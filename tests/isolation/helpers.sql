-- Loaded into the database of each spec. Tasks get names, so that steps and expected output can
-- speak of them; a permutation starts from an empty board; rows are aged, nobody sleeps.
CREATE SCHEMA iso;

CREATE TABLE iso.names (id uuid PRIMARY KEY, name text NOT NULL);
CREATE TABLE iso.mark (seq bigint NOT NULL, cursor text);
INSERT INTO iso.mark VALUES (0, NULL);

-- An empty board. The log cannot be emptied: what is older than the mark is not looked at.
CREATE PROCEDURE iso.reset()
LANGUAGE plpgsql
SET session_replication_role = replica
AS $$
BEGIN
    UPDATE board.tasks SET status = 'cancelled', leased_by = NULL, leased_until = NULL,
                           finished_at = clock_timestamp(), rank = NULL, due_at = NULL
     WHERE finished_at IS NULL; -- an open task cannot be deleted
    DELETE FROM board.tasks;
    DELETE FROM board.task_needs; -- in this mode nothing cascades
    DELETE FROM board.task_sequences;
    DELETE FROM board.kind_slots;
    DELETE FROM board.kinds;
    UPDATE board.settings SET closed_kinds = '{}', special_kinds = '{}';
    -- The first task of a kind makes its row, for which the others wait: not what is to be shown.
    INSERT INTO board.kinds (name) VALUES ('work'), ('other');
    DELETE FROM iso.names;
    UPDATE board.settings SET require_attempt = false, notify = 'each', paused_at = NULL;
    UPDATE iso.mark SET seq = coalesce((SELECT max(e.seq) FROM board.task_events AS e), 0),
                        cursor = board.latest_cursor();
END;
$$;

CREATE FUNCTION iso.id(name text) RETURNS uuid LANGUAGE sql STABLE
AS $$ SELECT n.id FROM iso.names AS n WHERE n.name = id.name $$;

-- A new task of that name; `unique_key` and `sequence_key` as for enqueue, `needs` by name.
CREATE PROCEDURE iso.task(name text, kind text DEFAULT 'work', priority int DEFAULT 0,
                          unique_key text DEFAULT NULL, needs text[] DEFAULT NULL,
                          sequence_key text DEFAULT NULL)
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO iso.names (id, name)
    VALUES (board.enqueue(kind, jsonb_build_object('name', name), priority,
                          unique_key => task.unique_key,
                          needs => ARRAY(SELECT iso.id(n) FROM unnest(needs) AS n),
                          sequence_key => task.sequence_key), name);
END;
$$;

-- A plan, and what became of its tasks.
CREATE FUNCTION iso.plan(tasks jsonb)
RETURNS TABLE (name text, status text, unmet_needs int)
LANGUAGE plpgsql
AS $$
DECLARE
    _made record;
BEGIN
    FOR _made IN SELECT p.name, p.id FROM board.enqueue_plan(tasks) AS p LOOP
        RETURN QUERY SELECT _made.name, t.status::text, t.unmet_needs
                       FROM board.tasks AS t WHERE t.id = _made.id;
    END LOOP;
END;
$$;

-- The name of a task; 'new' for one that no iso.task call made. Volatile: it looks again after a
-- verb in the same statement has waited for somebody's commit.
CREATE FUNCTION iso.name(id uuid) RETURNS text LANGUAGE sql VOLATILE
AS $$ SELECT CASE WHEN name.id IS NULL THEN 'NULL' ELSE
          coalesce((SELECT n.name FROM iso.names AS n WHERE n.id = name.id), 'new') END $$;

-- The holder goes silent: his lease ended an hour ago.
CREATE PROCEDURE iso.lapse(name text)
LANGUAGE plpgsql
SET session_replication_role = replica
AS $$
BEGIN
    UPDATE board.tasks AS t
       SET leased_until = clock_timestamp() - interval '1 hour',
           due_at = CASE WHEN t.due_at IS NOT NULL THEN clock_timestamp() - interval '1 hour' END,
           heartbeat_at = clock_timestamp() - interval '2 hours'
     WHERE t.id = iso.id(name);
END;
$$;

CREATE VIEW iso.tasks AS
SELECT iso.name(t.id) AS task, t.status, t.leased_by, t.claim_count AS attempt,
       t.failure_count AS strikes, t.lapse_count AS lapses
  FROM board.tasks AS t
 ORDER BY 1, t.created_at;

CREATE VIEW iso.log AS
SELECT iso.name(e.task_id) AS task, e.type, e.actor, e.attempt
  FROM board.task_events AS e
 WHERE e.seq > (SELECT m.seq FROM iso.mark AS m)
   AND (e.type <> 'enqueued' OR iso.name(e.task_id) = 'new')
 ORDER BY e.seq;
