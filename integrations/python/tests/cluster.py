"""A standalone Spark cluster on this machine, from the programs of the package `pyspark`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

START_SECONDS = 120
"""Limit for the start of a process, on a busy machine."""
JOB_SECONDS = 900
"""Limit for a job."""


class Cluster:
    """A master and two workers with a core each. Every process is stopped by its number."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        self.events = folder / "events"
        self.events.mkdir()
        self.processes: list[subprocess.Popen[bytes]] = []
        self.master = f"spark://127.0.0.1:{free_port()}"
        self.master_port = free_port()
        port = self.master.rsplit(":", 1)[1]
        self._start("master.Master", ["--port", port, "--webui-port", str(self.master_port)])
        wait_for("the master", lambda: self.state() is not None, START_SECONDS)
        self.workers = [
            self._start(
                "worker.Worker",
                ["--cores", "1", "--memory", "1g", "--webui-port", "0", self.master],
            )
            for _ in range(2)
        ]
        alive = lambda: len((self.state() or {}).get("workers", [])) == 2  # noqa: E731
        wait_for("two workers", alive, START_SECONDS)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        """Stops workers, then the master; executors and their Pythons end with them."""
        started = {pid for process in self.processes for pid in descendants(process.pid)}
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            process.wait(START_SECONDS)
        wait_for("the end of executors", lambda: not any(map(is_alive, started)), START_SECONDS)

    def state(self) -> dict[str, Any] | None:
        """The state of the master."""
        return get(f"http://127.0.0.1:{self.master_port}/json/")

    def kill_worker(self) -> set[int]:
        """Kills a worker with its executors, as if its machine failed; returns their numbers."""
        worker = self.workers[0]
        killed = {worker.pid, *descendants(worker.pid)}
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        worker.wait(START_SECONDS)
        return killed

    def submit(self, program: Path, arguments: list[str], ui_port: int) -> subprocess.Popen[str]:
        """Runs a program with spark-submit."""
        settings = {
            "spark.executor.memory": "640m",
            "spark.ui.port": ui_port,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": self.events.as_uri(),
            # As many tasks as for much more data.
            "spark.sql.shuffle.partitions": 60,
            "spark.sql.adaptive.coalescePartitions.enabled": "false",
            "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        command = [str(self.home / "bin/spark-submit"), "--master", self.master]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        log = (self.folder / "driver.log").open("wb")
        process = subprocess.Popen(
            [*command, str(program), *arguments],
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        self.processes.append(process)  # type: ignore[arg-type]
        return process

    def read_events(self) -> list[dict[str, Any]]:
        """The events of the jobs."""
        found = sorted(self.events.rglob("*"))
        # Checksums are hidden.
        files = [path for path in found if path.is_file() and not path.name.startswith(".")]
        lines = (line for path in files for line in path.read_text("utf-8").splitlines())
        return [event for line in lines if "Event" in (event := json.loads(line))]

    def _start(self, name: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        number = len(self.processes)
        log = (self.folder / f"{number}-{name}.log").open("wb")
        program = [str(self.home / "bin/spark-class"), f"org.apache.spark.deploy.{name}"]
        work = ["--work-dir", str(self.folder / f"work-{number}")] if "worker" in name else []
        process = subprocess.Popen(
            [*program, "--host", "127.0.0.1", *work, *arguments],
            env=self._environment(),
            stdout=log,
            stderr=log,
        )
        self.processes.append(process)
        return process

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "PYSPARK_PYTHON": sys.executable,
        }


def tasks(ui_port: int) -> dict[str, int]:
    """Completed and all tasks of the running stage that has most of them."""
    applications = get(f"http://127.0.0.1:{ui_port}/api/v1/applications")
    for application in applications or []:
        stages = f"http://127.0.0.1:{ui_port}/api/v1/applications/{application['id']}/stages"
        for stage in get(f"{stages}?status=active") or []:
            if stage["numTasks"] >= 60:
                return {"done": stage["numCompleteTasks"], "all": stage["numTasks"]}
    return {"done": 0, "all": 0}


def wait_for(what: str, condition: Callable[[], T], seconds: float) -> T:
    """Waits for a condition, and returns its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise TimeoutError(f"expected {what} within {seconds} seconds")


def get(url: str) -> Any:
    """The JSON at a URL; None if there is no answer."""
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return json.load(response)
    except (OSError, ValueError):
        return None


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process has started, and those that they have started."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in parentheses can contain anything.
            parent = int(path.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            child = int(path.parent.name)
            yield child
            yield from descendants(child)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
