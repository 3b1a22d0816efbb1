-- A job from birth to end: the number of waiting tasks stays as it is.
SELECT board.enqueue('bench');
SELECT c.id AS task FROM board.claim('agent', '10 minutes') AS c \gset
SELECT board.complete(:task, 'agent');
