-- Ten jobs in two calls.
SELECT array_agg(c.id) AS tasks FROM board.claim('agent', '10 minutes', max_tasks => 10) AS c \gset
SELECT count(*) FROM board.complete_many(:tasks, 'agent');
