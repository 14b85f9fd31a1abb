"""Measures `verger bulk check` on generated input, URLs in random order and sorted ones.

measure.py FOLDER PROGRAM... [--urls N] [--origins N] [--rounds N]

Programs, such as builds of two commits, run in turn. Prints medians: rows per second by the clock
with two threads, and of a core by the time of the processor, which other programs change less; the
largest memory; and bytes of output for each row. Needs Python with duckdb and pyarrow. The folder
needs about 120 bytes for each URL, and is not removed.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import time
from pathlib import Path

import generate

OPTIONS = [
    "",
    "--compression zstd",
    "--compression snappy",
    "--compression none",
    "--columns row,allowed",
    "--columns allowed",
    "--explain",
]


def run(program: Path, command: list[str]) -> tuple[float, float, float] | None:
    """Seconds by the clock and of the processor, and MiB of memory; None for an unknown option."""
    start = time.monotonic()
    child = subprocess.Popen([program, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0 and "unexpected argument" in message:
        return None
    if child.returncode != 0:
        raise SystemExit(message)
    elapsed = time.monotonic() - start
    return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("programs", type=Path, nargs="+")
parser.add_argument("--urls", type=int, default=8_000_000)
parser.add_argument("--origins", type=int, default=4_231)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--options", action="append", help="measure these, instead of the usual ones")
arguments = parser.parse_args()
folder, urls = arguments.folder, arguments.urls
made = folder / "made.json"
description = [urls, arguments.origins]
if not made.exists() or json.loads(made.read_text()) != description:
    generate.generate(folder, *description)
    made.write_text(json.dumps(description))
policies, output = folder / "policies.parquet", folder / "verdicts"
compile_all = ["policies", folder / "captures.parquet", "--agent", "GPTBot", "--restart", "-o"]
titles = ["order", "options", "program", "M rows/s", "M rows/s a core", "MiB", "bytes a row"]
print("|", " | ".join(titles), "|\n|", " | ".join(["---"] * len(titles)), "|")
for options in arguments.options or OPTIONS:
    explain = [] if "explain" in options else ["--short"]
    run(arguments.programs[-1], [*compile_all, policies, *explain])
    for order in ["random", "sorted"]:
        results, sizes = {program: [] for program in arguments.programs}, {}
        for _ in range(arguments.rounds):
            for program, found in results.items():
                shutil.rmtree(output, ignore_errors=True)
                command = ["check", folder / order, "--policies", policies, "--restart", "--threads", "2"]
                found.append(run(program, [*command, *options.split(), "-o", f"{output}/"]))
                if found[-1] is not None:
                    sizes[program] = sum(file.stat().st_size for file in output.iterdir())
        for program, found in results.items():
            if None in found:
                continue
            clock, processor, memory = (statistics.median(column) for column in zip(*found))
            rates = [f"{urls / seconds / 1e6:.2f}" for seconds in (clock, processor)]
            cells = [order, f"`{options}`", program, *rates, f"{memory:.0f}", f"{sizes[program] / urls:.1f}"]
            print("|", " | ".join(map(str, cells)), "|", flush=True)
