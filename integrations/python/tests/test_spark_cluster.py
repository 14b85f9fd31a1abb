"""A standalone cluster of two workers, one of which is killed during the job."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import rows as questions
import verger_arrow

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.usefixtures("spark"),
]

PROGRAM = questions.ROOT / "examples/spark/check_urls.py"
AGENT = "ExampleBot"
ORIGINS = 3_000
URLS = 1_500_000


def write_inputs(folder: Path) -> list[bool]:
    """Writes files and URLs in a random order as Parquet, and returns the expected answers."""
    origins = [f"https://site-{number}.example" for number in range(ORIGINS)]
    robots = [
        b"User-agent: *\n" + b"".join(b"Disallow: /%d/\n" % part for part in range(number % 50))
        for number in range(ORIGINS)
    ]
    files = {"origin": origins, "robots": pyarrow.array(robots, pyarrow.binary())}
    pyarrow.parquet.write_table(pyarrow.table(files), folder / "robots.parquet")
    # Multiplication by a prime is an order without neighbours of one origin.
    numbers = [(row * 7_919) % ORIGINS for row in range(URLS)]
    urls = [f"{origins[number]}/{row % 60}/{row}" for row, number in enumerate(numbers)]
    table = pyarrow.table({"row": range(URLS), "url": urls})
    pyarrow.parquet.write_table(table, folder / "urls.parquet", row_group_size=URLS // 8)
    files_of_rows = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(numbers, pyarrow.int32()), files["robots"]
    )
    return pyarrow.array(verger_arrow.check(files_of_rows, AGENT, table["url"])).to_pylist()


def test_a_killed_worker_changes_no_row(tmp_path: Path) -> None:
    from cluster import JOB_SECONDS, START_SECONDS, Cluster, free_port, is_alive, tasks, wait_for

    expected = write_inputs(tmp_path)
    answers, ui_port = tmp_path / "answers.parquet", free_port()
    arguments = ["--files", tmp_path / "robots.parquet", "--urls", tmp_path / "urls.parquet"]
    arguments += ["--agent", AGENT, "--out", answers, "--no-broadcast", "--detailed"]
    with Cluster(tmp_path) as cluster:
        job = cluster.submit(PROGRAM, [str(argument) for argument in arguments], ui_port)

        def is_in_the_middle() -> dict[str, int] | None:
            assert job.poll() is None, (tmp_path / "driver.log").read_text("utf-8")[-5_000:]
            found = tasks(ui_port)
            return found if 5 <= found["done"] <= found["all"] * 2 // 3 else None

        found = wait_for("the middle of the job", is_in_the_middle, JOB_SECONDS)
        killed = cluster.kill_worker()
        # A worker, its executor, and the executor's Pythons.
        assert len(killed) >= 3
        wait_for("the end of them", lambda: not any(map(is_alive, killed)), START_SECONDS)
        output, _ = job.communicate(timeout=JOB_SECONDS)
        assert job.returncode == 0, (tmp_path / "driver.log").read_text("utf-8")[-5_000:]
        events = [event["Event"] for event in cluster.read_events()]
    assert "SparkListenerJobEnd" in events[events.index("SparkListenerExecutorRemoved") :]
    table = pyarrow.parquet.read_table(answers).sort_by("row")
    assert table["row"].to_pylist() == list(range(URLS))
    assert table["allowed"].to_pylist() == expected
    assert table["error"].null_count == URLS
    assert sorted(output.split()) == sorted(
        f"{expected.count(True)} True None {expected.count(False)} False None".split()
    )
    print(f"cluster: a worker was killed after {found['done']} of {found['all']} tasks: same rows")
