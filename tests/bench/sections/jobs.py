"""Jobs per second: claim and complete of everybody, at several numbers of clients."""

from __future__ import annotations

from collections.abc import Sequence

from tests.bench import pgbench, queues, stats
from tests.bench.peers import KEEP_NO_HISTORY, PEERS
from tests.bench.queues import Stand
from tests.bench.sections.common import Results, Samples, Size, load, say, stand, vacuum
from tests.bench.server import Host, listening


def jobs(host: Host, size: Size) -> Results:
    """Claim and complete of everybody, at several numbers of clients."""
    stands = [stand(host, queue) for queue in queues.OWN]
    missing: dict[str, str] = {}
    for name, make in PEERS.items():
        try:
            queue = make(host)
            stands.append(stand(host, queue))
        except Exception as error:  # a peer that cannot be had must not end the run
            missing[name] = str(error).strip().splitlines()[0] if str(error) else repr(error)
            say(f"{name} is not to be had here: {missing[name]}")
    told: Results = {
        "queues": {
            one.queue.key: {
                "label": one.queue.label, "group": one.queue.group, "keeps": one.queue.keeps,
                "how": one.queue.how, "version": one.queue.version,
            }
            for one in stands
        },
        "missing": missing, "waiting": size.waiting, "rounds": size.rounds,
        "seconds": size.seconds, "peer_seconds": size.peer_seconds, "samples": {},
        "latency_ms": {}, "ratios": {}, "lowest": {}, "highest": {}, "against_off": {},
        "against_bell": {}, "against_best_peer": {}, "best_peer": {}, "load": {},
    }  # fmt: skip
    for clients in size.clients:
        taking_part = [
            one for one in stands if one.queue.group != "peer" or clients in size.peer_clients
        ]
        samples, latencies = _race(host, size, taking_part, clients, missing)
        key = str(clients)
        told["samples"][key] = samples
        told["latency_ms"][key] = {name: stats.middle(values) for name, values in latencies.items()}
        told["load"][key] = load()
        _compare(told, key, samples)
        for name, reached in told["ratios"][key].items():
            say(f"{clients} clients, {name}: {reached:.2f} of the floor")
    for one in stands:
        if one.queue.label not in missing:
            one.check()
        host.drop(one.database)
    return told


def _race(
    host: Host, size: Size, stands: Sequence[Stand], clients: int, missing: dict[str, str]
) -> tuple[Samples, Samples]:
    samples: Samples = {one.queue.key: [] for one in stands}
    latencies: Samples = {one.queue.key: [] for one in stands}
    for one in stands:
        one.fill_to(size.waiting)
        vacuum(one.database)
    host.checkpoint()
    for number in range(size.rounds):
        for one in stats.turn(stands, number):
            if one.queue.label in missing:
                continue
            if one.waiting < size.waiting * 2 // 3:
                one.fill_to(size.waiting)
            vacuum(one.database)
            peer = one.queue.group == "peer"
            try:
                with listening(one.database, one.queue.channel):
                    found = pgbench.run(
                        host.pgbench, one.database.dsn, one.queue.script, clients,
                        seconds=size.peer_seconds if peer else size.seconds,
                    )  # fmt: skip
            except pgbench.PgbenchError as error:
                if not peer:
                    raise
                missing[one.queue.label] = f"at {clients} clients: {error}"
                say(f"{one.queue.label} fell out: {error}")
                continue
            one.took(found.executions)
            samples[one.queue.key].append(found.per_second)
            latencies[one.queue.key].append(found.latency_ms)
    return samples, latencies


def _compare(told: Results, key: str, samples: Samples) -> None:
    def ratios(base: str) -> dict[str, float]:
        found = {name: stats.ratio(samples, name, base) for name in samples}
        return {name: value for name, value in found.items() if value is not None}

    told["ratios"][key] = ratios("floor")
    ends = {name: stats.spread(samples, name, "floor") for name in told["ratios"][key]}
    told["lowest"][key] = {name: pair[0] for name, pair in ends.items()}
    told["highest"][key] = {name: pair[1] for name, pair in ends.items()}
    told["against_off"][key] = ratios("board_off")
    told["against_bell"][key] = ratios("bell")
    keepers = {
        name: told["ratios"][key][name]
        for name, queue in told["queues"].items()
        if queue["group"] == "peer" and name not in KEEP_NO_HISTORY and name in told["ratios"][key]
    }
    if keepers:
        told["best_peer"][key] = max(keepers, key=lambda name: keepers[name])
        told["against_best_peer"][key] = told["ratios"][key]["board_off"] / max(keepers.values())
