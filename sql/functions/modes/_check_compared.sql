CREATE OR REPLACE FUNCTION board._check_compared(
    kind           text,
    correlation_id text,
    step           text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM board._check_name(kind, 'kind');
    PERFORM board._check_name(step, 'step');
    IF correlation_id IS NULL THEN
        PERFORM board._invalid_argument('correlation_id', 'is NULL',
            'Pass what names the outside event, as enqueue() got it.');
    END IF;
    PERFORM board._check_key(correlation_id, 'correlation_id');
    -- Together they are one B-tree entry, 2,704 bytes at most.
    IF octet_length(kind) + octet_length(correlation_id) + octet_length(step) > 2600 THEN
        PERFORM board._invalid_argument('correlation_id',
            'has more than 2,600 bytes together with kind and step',
            'Shorten one of them, or hash it.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_compared IS
    'Private: what names a compared step; 22023 naming the argument when it cannot.';
