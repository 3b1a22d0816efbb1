-- One job: claim the next task, complete it. Two transactions, as an agent would.
SELECT c.id AS task FROM board.claim('agent', '10 minutes') AS c \gset
SELECT board.complete(:task, 'agent');
