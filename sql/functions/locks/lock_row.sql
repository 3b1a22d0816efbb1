CREATE OR REPLACE FUNCTION board.lock_row(
    target regclass,
    key    text,
    wait   boolean DEFAULT true)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _relkind "char";
    _columns int;
    _column text;
    _type_schema text;
    _type text;
    _equals regoper;
    _key text;
    _advisory bigint;
    _query text;
    _row jsonb;
BEGIN
    -- With the caller's rights, and so without the board's private helpers: SELECT … FOR UPDATE
    -- asks for SELECT and UPDATE on the target, and row security applies.
    --
    -- Locks: the row, if it is to be had at once. Else the advisory lock of (target, key), at which
    -- callers of lock_row queue, and then the row. The row lock keeps out everybody, and is what
    -- correctness rests on; the advisory lock keeps the name of a row that is not there. The order
    -- matters to a session that has the row already, from an UPDATE of its own: waiting for the
    -- advisory lock of somebody who waits for that row would be a deadlock.
    --
    -- Each statement has a snapshot of its own under READ COMMITTED, so the row is read after the
    -- waits, as whoever was before left it. Between the statements another session may change,
    -- delete or make the row; a wait that ends at a deleted row is followed by one more look, since
    -- the row may have been made again in the same transaction.
    IF target IS NULL OR key IS NULL OR wait IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = '22023',
            MESSAGE = format('invalid value for argument "%s"',
                CASE WHEN target IS NULL THEN 'target' WHEN key IS NULL THEN 'key' ELSE 'wait' END),
            DETAIL = 'It is NULL.',
            HINT = 'As in board.lock_row(''orders'', ''42'').';
    END IF;

    -- The primary key's first column, and how its index tells that two values are equal: found by
    -- name, = could be another type's when the column's own is not in pg_catalog (citext).
    SELECT c.relkind, coalesce(i.indnkeyatts, 0), a.attname, n.nspname, y.typname, m.amopopr
      INTO _relkind, _columns, _column, _type_schema, _type, _equals
      FROM pg_class AS c
      LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
      LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
      LEFT JOIN pg_type AS y ON y.oid = a.atttypid
      LEFT JOIN pg_namespace AS n ON n.oid = y.typnamespace
      LEFT JOIN pg_opclass AS k ON k.oid = i.indclass[0]
      LEFT JOIN pg_amop AS m ON m.amopfamily = k.opcfamily AND m.amopstrategy = 3
                            AND m.amoplefttype = k.opcintype AND m.amoprighttype = k.opcintype
     WHERE c.oid = target;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = '42P01',
            MESSAGE = format('relation with OID %s does not exist', target),
            HINT = 'Pass the name of a table.';
    ELSIF _columns <> 1 THEN
        RAISE EXCEPTION USING
            ERRCODE = '22023',
            MESSAGE = 'invalid value for argument "target"',
            DETAIL = format('%s has %s.', target,
                CASE WHEN _columns = 0 THEN 'no primary key'
                     ELSE format('a primary key of %s columns', _columns) END),
            HINT = 'The row is found by a primary key of one column. Else use board.try_lock() and your own SELECT … FOR UPDATE.';
    END IF;

    -- The key as its type writes it: 007 and 7 are one row. Without the column's length, which a
    -- cast would cut the key to (and so with the type's catalogue name: character and bit without a
    -- length mean a length of 1).
    BEGIN
        EXECUTE format('SELECT CAST(CAST($1 AS %I.%I) AS text)', _type_schema, _type)
           INTO _key
          USING key;
    EXCEPTION
        WHEN data_exception OR check_violation THEN
            RAISE EXCEPTION USING
                ERRCODE = '22023',
                MESSAGE = 'invalid value for argument "key"',
                DETAIL = format('"key" does not fit %s.%I: %s.', target, _column, SQLERRM),
                HINT = 'Pass the value of that column as text.';
    END;
    _advisory := board.lock_key(format('%s/%s', target::oid, _key));

    -- ONLY, since a parent in the old way of inheriting has a primary key of its own rows alone.
    _query := format(
        'SELECT to_jsonb(t) FROM %s %s AS t WHERE t.%I OPERATOR(%s) CAST($1 AS %I.%I) FOR UPDATE',
        CASE WHEN _relkind = 'p' THEN '' ELSE 'ONLY' END,
        target, _column, _equals, _type_schema, _type);
    EXECUTE _query || ' SKIP LOCKED' INTO _row USING key;
    IF _row IS NOT NULL THEN
        PERFORM pg_try_advisory_xact_lock(_advisory);
    ELSIF wait THEN
        PERFORM pg_advisory_xact_lock(_advisory);
        FOR _look IN 1 .. 2 LOOP
            EXECUTE _query INTO _row USING key;
            EXIT WHEN _row IS NOT NULL;
        END LOOP;
    END IF;
    RETURN _row;
END;
$$;

COMMENT ON FUNCTION board.lock_row IS
$$Locks a row of a table of yours until the end of this transaction and returns it as it is now: an
advisory lock and SELECT … FOR UPDATE by primary key, with your own rights. NULL when there is no
such row, or with wait => false when another session has it.

target  regclass, a table with a primary key of one column, as in 'orders' or 'Shop."Order"'
key     text, the value of that column, as in '42'
wait    boolean: true waits for whoever has it; false returns NULL at once

Others may read the row meanwhile and can neither change nor delete it. Gone with commit, rollback
(also to a savepoint before it) or crash. With wait => true the name of a row that does not exist
stays locked, so that one session at a time makes it; with wait => false NULL leaves nothing locked.
Lock several rows in the order of their keys, or meet 40P01 and try again. wait => false still waits
where somebody has locked the whole table (ALTER TABLE). The advisory locks are bounded as with
try_lock.

Errors: 22023 for a NULL, a key that is not of the column's type, a target without primary key or
with one of several columns; 42501 without SELECT and UPDATE on it; 42P01 no such table; 40P01 as
with any row lock; 40001 in REPEATABLE READ and SERIALIZABLE.
Example: SELECT board.lock_row('orders', '42') ->> 'total';$$;
