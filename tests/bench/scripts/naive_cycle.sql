-- The same with the birth of a task.
INSERT INTO naive.tasks (payload) VALUES ('{}');
UPDATE naive.tasks SET status = 'running', started_at = clock_timestamp()
 WHERE id = (SELECT t.id FROM naive.tasks AS t WHERE t.status = 'pending' ORDER BY t.id
              LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id AS task \gset
UPDATE naive.tasks SET status = 'done', ended_at = clock_timestamp() WHERE id = :task;
