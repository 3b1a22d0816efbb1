CREATE OR REPLACE FUNCTION board._describe_event(
    type    text,
    kind    text,
    actor   text,
    db_user text,
    attempt int,
    payload jsonb)
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- One branch for each event type. Said from the event alone: its task may be pruned, or by now
    -- be something else. What the board says and what a user said are told apart by where it
    -- stands: the payload of enqueued, completed, failed, retried and cancelled is a user's, that
    -- of the others the board's own, with a user's JSON as a member of it. A user's words follow a
    -- colon; a name that could be read as more than a name stands in quotes.
    SELECT CASE type
        WHEN 'enqueued' THEN format(
            '%s put it on the board as %s%s', who.name, who.kind,
            ' for ' || left(scheduled.at, 19))
        WHEN 'claimed' THEN format(
            '%s claimed it (attempt %s) until %s', who.name, attempt,
            left((payload ->> 'leased_until')::timestamptz::time::text, 8))
        WHEN 'extended' THEN format(
            '%s extended the lease until %s%s', who.name,
            left((payload ->> 'leased_until')::timestamptz::time::text, 8),
            ': ' || nullif(board._summarize_json(payload -> 'progress', 40), ''))
        WHEN 'completed' THEN format('%s completed it%s', who.name, said.text)
        WHEN 'failed' THEN format('%s failed on attempt %s%s', who.name, attempt, said.text)
        WHEN 'escalated' THEN CASE
            WHEN payload ? 'failures' THEN format(
                'came into the human queue: %s',
                CASE payload ->> 'reason'
                    WHEN 'failures' THEN format('%s strikes', payload ->> 'failures')
                    WHEN 'lapses' THEN format('%s lapsed leases', payload ->> 'lapses')
                    WHEN 'permanent' THEN 'no use in trying again'
                    ELSE payload ->> 'reason'
                END)
            WHEN payload ->> 'reason' = 'need_cancelled' THEN format(
                '%s cancelled what it needs: %s', who.name, payload -> 'payload' ->> 'need')
            ELSE format('%s brought it to the human queue%s', who.name,
                        ': ' || board._summarize_json(payload -> 'payload', 60))
        END
        WHEN 'expired' THEN format(
            'the lease of %s lapsed at %s; %s took it back', who.leased_by,
            left((payload ->> 'leased_until')::timestamptz::time::text, 8), who.name)
        WHEN 'released' THEN format(
            '%s gave it back%s%s', who.name,
            ' until ' || jsonb_array_length(payload -> 'needs') || ' others are done',
            ' until ' || to_char((payload ->> 'run_at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS'))
        WHEN 'retried' THEN format(
            '%s sent it back to the agents, strikes cleared%s', who.name, said.text)
        WHEN 'cancelled' THEN format('%s cancelled it%s', who.name, said.text)
        WHEN 'replayed' THEN format(
            '%s had it done again%s', who.name, ' as task ' || (payload ->> 'as_new'))
        WHEN 'reprioritized' THEN format(
            '%s changed its priority from %s to %s', who.name, payload ->> 'from', payload ->> 'to')
        WHEN 'replaced' THEN CASE
            WHEN payload ? 'next' THEN format(
                '%s brought a new payload for when it is finished%s', who.name,
                ': ' || board._summarize_json(payload -> 'next' -> 'payload', 60))
            ELSE format(
                '%s changed its payload from %s to %s', who.name,
                board._summarize_json(payload -> 'from' -> 'payload', 60),
                board._summarize_json(payload -> 'to' -> 'payload', 60))
        END
        WHEN 'paused' THEN format('%s paused it%s', who.name, said.text)
        WHEN 'resumed' THEN format('%s resumed it', who.name)
        WHEN 'unblocked' THEN CASE
            WHEN payload ? 'dropped' THEN format(
                '%s lets it wait no longer for %s', who.name, payload ->> 'dropped')
            ELSE format('%s did the last of what it waited for', who.name)
        END
        ELSE format('%s: %s', who.name, type)
    END
      FROM (SELECT CASE WHEN actor = db_user THEN 'role ' ELSE '' END || board._quote_name(actor),
                   board._quote_name(kind), board._quote_name(payload ->> 'leased_by'))
          AS who (name, kind, leased_by),
           (SELECT ': ' || board._summarize_json(payload, 60)) AS said (text),
           -- Only what a schedule made has both; an enqueued event's payload is the user's.
           (SELECT CASE WHEN actor LIKE 'schedule:%'
                    AND payload ->> 'scheduled_for' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:'
                   THEN translate(payload ->> 'scheduled_for', 'T', ' ') END) AS scheduled (at);
$$;

COMMENT ON FUNCTION board._describe_event IS
    'Private: an event as a sentence, for board.history.';
