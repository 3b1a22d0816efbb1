"""The agents of the demo: processes that are started, watched and sent home."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from installer.target import Target

TTL = 3.0  # seconds; short, so that the killed agent's task is taken over while one looks on


@dataclass
class Agent:
    """One process; what it complains of goes into a file."""

    name: str
    process: subprocess.Popen[str]
    complaints: Path

    def line(self, seconds: float) -> str | None:
        """The first line it says, if it says one in time."""
        said: list[str] = []
        stream = self.process.stdout
        assert stream is not None
        reader = threading.Thread(target=lambda: said.append(stream.readline()), daemon=True)
        reader.start()
        reader.join(seconds)
        return said[0] if said and said[0] else None

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@dataclass
class Staff:
    """All agents of one run."""

    target: Target
    schema: str
    kind: str
    scratch: Path
    agents: list[Agent] = field(default_factory=list)

    def hire(self, number: int, *more: str) -> Agent:
        name = f"agent-{number}"
        complaints = self.scratch / f"{name}.stderr"
        environment = dict(os.environ)
        package = str(Path(__file__).resolve().parents[2])
        environment["PYTHONPATH"] = os.pathsep.join(
            part for part in (package, environment.get("PYTHONPATH")) if part
        )
        if self.target.dsn:
            environment["BOARD_DSN"] = self.target.dsn
        with complaints.open("w") as stderr:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "installer.demo.worker", "--agent", name),
                    *("--kind", self.kind, "--schema", self.schema, "--ttl", str(TTL), *more),
                ],
                env=environment,
                stdin=subprocess.PIPE,  # nothing is written: its end tells that we are gone
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        agent = Agent(name, process, complaints)
        self.agents.append(agent)
        return agent

    def dead(self, but: str) -> list[str]:
        """What those say who ended by themselves, `but` for one."""
        return [
            f"{agent.name} ended by itself: {agent.complaints.read_text().strip()}"
            for agent in self.agents
            if agent.name != but and agent.process.poll() is not None
        ]

    def send_home(self, but: str) -> list[str]:
        """Ends them all; none is left behind. What was wrong with any, `but` for one."""
        problems = []
        for agent in self.agents:
            if agent.process.poll() is None:
                agent.process.terminate()
        for agent in self.agents:
            try:
                agent.process.wait(10)
            except subprocess.TimeoutExpired:
                agent.kill()
                problems.append(f"{agent.name} did not go when told to")
            for pipe in (agent.process.stdin, agent.process.stdout):
                if pipe is not None:
                    pipe.close()
            if agent.process.returncode != 0 and agent.name != but:
                problems.append(f"{agent.name}: {agent.complaints.read_text().strip()}")
        return problems
