#!/bin/sh
# A whole agent for whoever has psql and curl: takes tasks of kind "charge" and calls the kind's
# provider once for each. libpq's environment says where the board is (PGHOST, PGDATABASE, ...), AGENT
# what the agent is called, PROVIDER what the provider is. Kill it at any moment and start another one:
# nothing is charged twice, and nothing is forgotten. Whatever the provider answers, the agent goes on.
set -u
agent=${AGENT:-agent-sh}
provider=${PROVIDER:-pay}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 0' INT TERM

# ask SQL NAME=VALUE ...: one statement in a transaction of its own, one column a line. Values stand
# in the SQL as :'NAME'; psql quotes them.
ask() {
    sql=$1
    shift
    for value; do
        set -- "$@" -v "$value"
        shift
    done
    printf '%s\n' "$sql" | psql -XAtq -F '
' -v ON_ERROR_STOP=1 -v agent="$agent" -v task="${task-}" -v attempt="${attempt-}" "$@"
}

# fail REASON: a strike; the task is tried again later, after the third it is a person's.
fail() {
    ask "SELECT board.fail(:'task', :'agent', jsonb_build_object('error', :'reason'), attempt => :'attempt')" \
        reason="$1" >"$folder/said"
}

# put_off: the provider has said when to come again. That is no strike.
put_off() {
    after=$(sed -n 's/^[Rr][Ee][Tt][Rr][Yy]-[Aa][Ff][Tt][Ee][Rr]: *\([0-9]\{1,5\}\)[[:space:]]*$/\1/p' "$folder/head" | tail -n 1)
    ask "SELECT board.throttle(:'provider', retry_after => :'wait')" provider="$provider" wait="${after:-60} s" >"$folder/said"
    ask "SELECT board.release(:'task', :'agent', :'wait', :'attempt')" wait="${after:-60} s" >"$folder/said"
}

charge() {
    ask "SELECT c.decision, c.url, c.response, c.body, string_agg(h.key || ': ' || h.value, E'\n')
           FROM board.begin_call(:'task', :'agent', 'charge', request => :'payload', attempt => :'attempt') AS c
           LEFT JOIN LATERAL jsonb_each_text(c.headers) AS h ON true
          GROUP BY c.decision, c.url, c.response, c.body" payload="$payload" >"$folder/call" || return
    { IFS= read -r decision; IFS= read -r url; IFS= read -r response; IFS= read -r body; cat >"$folder/headers"; } <"$folder/call"
    case $decision in
        wait | indeterminate) return ;; # the board has put the task off, or given it to people
        send | sandbox)
            # Recorded as sent and committed, so now it may be. No redirect is followed (-q: nor by
            # order of a .curlrc), and no answer is kept that is longer than about a megabyte.
            status=$(ulimit -f 2048; curl -q -sS -m 45 -D "$folder/head" -o "$folder/answer" \
                -w '%{http_code}' -H "@$folder/headers" --data-binary "$body" "$url") || status="broken ($status)"
            case $status in
                2??) succeeded=true response=$(tr -d '\000' <"$folder/answer" | sed 's/\\u0000/\\ufffd/g') ;;
                4??) succeeded=false response="{\"refused\": $status}" ;;
                *) fail "no answer: $status"; return ;; # nobody knows: no outcome is told
            esac
            ask "SELECT board.finish_call(:'task', :'agent', 'charge', :'response', :'succeeded', :'attempt')" \
                response="$response" succeeded="$succeeded" >"$folder/said" || { fail "an answer that cannot be kept"; return; }
            [ "$status" = 429 ] && { put_off; return; }
            [ "$succeeded" = true ] || { fail "refused with $status"; return; } ;;
    esac
    ask "SELECT board.complete(:'task', :'agent', nullif(:'response', '')::jsonb, :'attempt')" \
        response="$response" >"$folder/said"
}

while :; do
    ask "SELECT c.id, c.claim_count, c.payload FROM board.claim(:'agent', kinds => '{charge}') AS c" >"$folder/task" ||
        { echo "agent.sh: no board to work for (PGHOST, PGDATABASE, ... say where it is)" >&2; exit 1; }
    if [ -s "$folder/task" ]; then
        { read -r task; read -r attempt; IFS= read -r payload; } <"$folder/task"
        charge || echo "task $task: not finished" >&2
    else
        sleep "$(ask "SELECT ceil(greatest(1, least(10, extract(epoch FROM board.next_due('{charge}') - clock_timestamp()))))" || echo 10)"
    fi
done
