-- An upgrade finds the release that it was made for. Until its end no second installer gets past
-- this lock, which nobody but the owner can hold: readers of the table do not mind it.

LOCK TABLE board.releases IN SHARE UPDATE EXCLUSIVE MODE;

DO $guard$
DECLARE
    _release text;
BEGIN
    SELECT r.version INTO _release FROM board.releases AS r ORDER BY r.installed_at DESC LIMIT 1;
    IF _release IS DISTINCT FROM '@FROM_VERSION@' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('this script upgrades board %s; release %s is installed here',
                             '@FROM_VERSION@', COALESCE(_release, '(none)')),
            HINT = 'Print the script for that release: script --upgrade-from.';
    END IF;
END;
$guard$;
