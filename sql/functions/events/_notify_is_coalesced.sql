CREATE OR REPLACE FUNCTION board._notify_is_coalesced()
RETURNS boolean
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT s.notify FROM board.settings AS s) = 'coalesced';
END;
$$;

COMMENT ON FUNCTION board._notify_is_coalesced IS
    'Private: whether settings.notify is coalesced; the condition of the doorbell''s trigger.';
