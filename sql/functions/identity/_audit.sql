CREATE OR REPLACE FUNCTION board._audit(
    who    text,
    action text,
    target text,
    detail jsonb DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _caller text := board._caller();
BEGIN
    INSERT INTO board.audit_log (action, target, actor, db_user, detail)
    VALUES (_audit.action, _audit.target, coalesce(who, _caller), _caller, _audit.detail);
END;
$$;

COMMENT ON FUNCTION board._audit IS
    'Private: appends to board.audit_log; who NULL stands for the database role.';
