-- One installer at a time: a lock that conflicts with itself and with no reader, on a table that
-- nobody but the owner may lock so.

DO $guard$
BEGIN
    LOCK TABLE board.releases IN SHARE UPDATE EXCLUSIVE MODE;
EXCEPTION
    WHEN lock_not_available THEN
        RAISE EXCEPTION USING
            ERRCODE = 'lock_not_available',
            MESSAGE = 'another installer is at work here',
            DETAIL = (
@HOLDERS 'board.releases'::regclass AND l.mode LIKE '%Exclusive%'@
            ),
            HINT = 'Wait for it, then run this again.';
END;
$guard$;
