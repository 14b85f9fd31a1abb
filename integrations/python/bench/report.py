"""The page of figures."""

from __future__ import annotations

import json
import os
import platform
import textwrap
from importlib.metadata import version
from pathlib import Path

from verger_arrow.spark import BROADCAST_BYTES

from .data import AGENT, SAMPLE, URLS_PER_ORIGIN, Data
from .work import RANDOM, Work

LOCATION = "docs/columns-performance.md"

WIDTH = 100

BILLION = 1_000_000_000
ORIGINS = 1_000_000
DOLLARS_PER_CORE_HOUR = 0.05
"""Assumed: an ordinary price of large clouds, with its share of memory."""
CORES = (16, 64, 256)

Timed = tuple[Work, float]


def page(found: list[Timed], data: Data, bytes_of: dict[str, int], rounds: int, load: float) -> str:
    """The text of the page, from the works with their seconds."""
    packages = ("pyarrow", "polars", "duckdb", "datafusion", "pyspark", "protego")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    each = data.counts["rows"] // data.counts["files"]
    text = f"""<!-- Written by `cargo xtask columns --bench`. Do not edit. -->

# Performance of columns

All programs take the same rows from the same Parquet files, in turn within one run and on **one
core**: with Spark, the JVM and the Python worker share it. Absolute times depend on the machine; the
ratios matter. Repeat the measurement with `cargo xtask columns --bench`.

- Machine: {processor()}, {platform.system()} {platform.machine()}, CPython {platform.python_version()}
- Versions: {versions}, robotxt 0.7.0
- Files: {data.counts["files"]:,} files of the Web, {data.bytes_of_files:,} bytes
- Rounds: {rounds}, the median; largest load average of the machine during the run: {load:.1f}

## A file in each row

{data.counts["rows"]:,} rows of a file, a crawler and a URL, about {each} for each
file, sorted: rows of a file are neighbours. Peers in Python answer the rows of one file of
{SAMPLE}. The cache of Protego has the last thousand files.

{table(found, "rows")}

With Spark, DuckDB and DataFusion, most of the time goes into copies of the files, one for each row.
Polars and pyarrow have each file once. A join has it once, too.

## URLs joined with policies

{data.counts["urls"]:,} URLs, {URLS_PER_ORIGIN:,} for each of {data.counts["files"]:,} origins, in random
order or sorted by origin, crawler `{AGENT}`. The time includes parsing all files. The first row has
no checks: Spark reads the URLs and compares them with a text, without Python.

- **Protego, cached by origin**, is the fair peer: files are broadcast, and a worker parses each once.
- **Protego, a file in each row**, is a plain join, sorted by origin. It answers the URLs of one origin of
  {SAMPLE}; without a cache, a tenth of them.

{table(found, "join")}

Two cores are measured by `cargo xtask columns --bench --cores 2`, with 1,891 URLs for each origin, 8
million. On 2026-11-30, `check_urls` answered:

- broadcast: 1.91 million rows per second in random order and 2.48 million sorted, if URLs have no column
  of origins; 1.55 and 2.10 million with one, which Spark also sends to Python (target: 1.7 million);
- shuffled: 690,000 rows per second in random order, 1.01 million sorted (target: 600,000).

{cluster(found, data, bytes_of)}"""
    return wrapped(text)


def wrapped(text: str) -> str:
    """The text with lines of equal length; tables and headings stay."""
    parts = []
    for part in text.strip().split("\n\n"):
        if part.startswith(("|", "#", "<")):
            parts.append(part)
        elif part.startswith("- "):
            items = part.removeprefix("- ").split("\n- ")
            parts.append("\n".join(filled(item, "- ", "  ") for item in items))
        else:
            parts.append(filled(part, "", ""))
    return "\n\n".join(parts) + "\n"


def filled(text: str, first: str, others: str) -> str:
    """A paragraph or an item of a list."""
    words = " ".join(text.split())
    return textwrap.fill(
        words,
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def table(found: list[Timed], name: str) -> str:
    """Rows per second, and ratios to each peer with the same order of rows."""
    rates = [(work, work.rows / seconds) for work, seconds in found if work.table == name]
    peers = {(work.name, work.order): rate for work, rate in rates if work.is_peer}
    names = list(dict.fromkeys(peer for peer, _ in peers))
    heads = ["", "order", "rows per second", *(f"faster than {peer}" for peer in names)]
    lines = [row(heads), row(["---", *["---:"] * (len(heads) - 1)])]
    for work, rate in rates:
        others = [None if work.is_peer else peers.get((peer, work.order)) for peer in names]
        ratios = [times(rate / other) if other else "" for other in others]
        lines.append(row([work.name, work.order, rounded(rate), *ratios]))
    return aligned(lines)


def cluster(found: list[Timed], data: Data, bytes_of: dict[str, int]) -> str:
    """A billion URLs on paper."""
    seconds = {work.name: taken for work, taken in found if (work.table, work.order) == ("join", RANDOM)}
    rows = data.counts["urls"]
    lines = [row(["", "shuffled", "broadcast"]), row(["---", "---:", "---:"])]
    ways = ("`check_urls`, shuffled", "`check_urls`, broadcast")
    rates = [rows / seconds[way] for way in ways]
    shuffled = [bytes_of.get(f"join, broadcast={way}", 0) / rows for way in (False, True)]
    # The count of answers at the end shuffles some bytes, too.
    shuffled = [each if each >= 1 else 0 for each in shuffled]
    lines.append(row(["URLs per second of a core, random order", *(rounded(rate) for rate in rates)]))
    lines.append(row(["shuffled bytes per URL, measured", *(f"{each:.1f}" for each in shuffled)]))
    lines.append(row(["shuffled bytes", *(size(each * BILLION) for each in shuffled)]))
    hours = [BILLION / rate / 3_600 for rate in rates]
    lines.append(row(["core hours", *(f"{each:.2f}" for each in hours)]))
    for cores in CORES:
        lines.append(row([f"minutes on {cores} cores", *(f"{each * 60 / cores:.1f}" for each in hours)]))
    costs = [each * DOLLARS_PER_CORE_HOUR for each in hours]
    lines.append(row(["cost", *(f"${each:.2f}" for each in costs)]))
    others = [f"${2 * each:.2f}" for each in costs]
    lines.append(row(["cost if cores are half idle", *others]))
    return f"""## A billion URLs against a million origins

This layout is on paper: the measured figures above, times a billion. No such cluster was run; two
workers were ([test](../integrations/python/tests/test_spark_cluster.py)). The program is
[examples/spark/check_urls.py](../examples/spark/check_urls.py). A core hour costs
${DOLLARS_PER_CORE_HOUR:.2f} (assumed). Each origin has {BILLION // ORIGINS:,} URLs, as measured. The shuffled
bytes contain the policies.

{aligned(lines)}

- **Shuffled** is the default for more than {BROADCAST_BYTES >> 20} MiB of policies: memory does not depend on
  the number of origins. The URLs of an origin
  and its policy meet in one partition; a partition needs memory for a batch of rows. Choose
  `spark.sql.shuffle.partitions` so that a task has some million URLs: 1,000 for a billion.
- **Broadcast** has no shuffle, but each Python worker holds all policies. With `GPTBot`, a million
  policies like those of these files take {size(policy_bytes(data) * ORIGINS)} of each
  worker. Use it up to some hundred thousand origins; up to {BROADCAST_BYTES >> 20} MiB it is the default.
- **Large origins** make a task slow. `copies=16` spreads the URLs of each origin over 16 partitions;
  a million policies are then shuffled 16 times: {size(policy_bytes(data) * ORIGINS * 16)}.
- **Network.** Spark compresses what it shuffles. Real URLs are longer than these
  if they have long queries; the shuffled bytes grow with them.
- **Lost machines.** Spark repeats their tasks. The answers are the same, because a task depends on
  its rows only.
"""


def policy_bytes(data: Data) -> float:
    """The mean bytes of a policy."""
    import pyarrow
    import pyarrow.parquet
    import verger_arrow

    robots = pyarrow.parquet.read_table(data.files)["robots"]
    policies = pyarrow.array(verger_arrow.compile(robots, AGENT))
    return sum(len(policy.as_buffer()) for policy in policies) / len(policies)


def shuffled(events: Path) -> dict[str, int]:
    """Shuffled bytes of one run of each described job, from Spark's events."""
    jobs: dict[int, str] = {}
    written: dict[str, list[int]] = {}
    for path in events.rglob("*"):
        if path.is_dir() or path.name.startswith("."):
            continue
        for line in path.read_text("utf-8").splitlines():
            event = json.loads(line)
            if event.get("Event") == "SparkListenerJobStart":
                name = event.get("Properties", {}).get("spark.job.description", "")
                jobs.update(dict.fromkeys(event["Stage IDs"], name))
            elif event.get("Event") == "SparkListenerStageCompleted":
                stage = event["Stage Info"]
                values = {one["Name"]: one["Value"] for one in stage.get("Accumulables", [])}
                count = int(values.get("internal.metrics.shuffle.write.bytesWritten", 0))
                # The count of answers shuffles some bytes, too.
                written.setdefault(jobs.get(stage["Stage ID"], ""), []).append(count)
    return {name: max(counts) for name, counts in written.items()}


def processor() -> str:
    """The model of the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        text = ""
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores"


def row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def aligned(lines: list[str]) -> str:
    """A table in Markdown with columns of equal width."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    widths = [max(map(len, column)) for column in zip(*(cells[:1] + cells[2:]), strict=True)]
    out = []
    for number, line in enumerate(cells):
        if number == 1:
            out.append(row(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]))
        else:
            first = line[0].ljust(widths[0])
            out.append(
                row(
                    [
                        first,
                        *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
                    ]
                )
            )
    return "\n".join(out)


def rounded(rate: float) -> str:
    """Three digits."""
    digits = 10 ** max(len(str(int(rate))) - 3, 0)
    return f"{round(rate / digits) * digits:,}"


def times(ratio: float) -> str:
    return f"{ratio:,.0f} x" if ratio >= 100 else f"{ratio:.1f} x" if ratio >= 10 else f"{ratio:.2f} x"


def size(count: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1_000:
            return f"{count:.3g} {unit}"
        count /= 1_000
    return f"{count:.3g} TB"
