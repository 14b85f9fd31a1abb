"""Runs Common Crawl's counting code on files, and prints its results as JSON lines.

    python3 common_crawl.py robotstxt_statistics.py files

`files` as for http_archive.mjs. The job needs neither Spark nor WARC files for one record: the
modules that it imports for them are replaced by empty ones.
"""

import importlib.util
import io
import json
import struct
import sys
import types
from collections import Counter


class Anything:
    """Takes any arguments and does nothing."""

    def __init__(self, *arguments, **named):
        pass

    def init_accumulators(self, session):
        pass

    def get_logger(self):
        return types.SimpleNamespace(debug=Anything, info=Anything, error=Anything)


class Sum:
    """An accumulator."""

    def __init__(self, value):
        self.value = value

    def add(self, more):
        self.value += more


def load(path):
    kinds = ("StructType", "StructField", "StringType", "LongType")
    stubs = {
        "sparkcc": {"CCSparkJob": Anything},
        "ujson": {"dumps": json.dumps},
        "pyspark": {},
        "pyspark.sql": {},
        "pyspark.sql.types": dict.fromkeys(kinds, Anything),
    }
    for name, content in stubs.items():
        sys.modules[name] = types.SimpleNamespace(**content)
    spec = importlib.util.spec_from_file_location("robotstxt_statistics", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RobotstxtStatsJob


def responses(path):
    with open(path, "rb") as file:
        while head := file.read(12):
            status, media_type, body = struct.unpack("<III", head)
            yield status, file.read(media_type).decode(), file.read(body)


def record(status, media_type, body):
    headers = {"Content-Type": media_type or None}
    return types.SimpleNamespace(
        rec_type="response",
        http_headers=types.SimpleNamespace(get_statuscode=lambda: str(status), get_header=headers.get),
        rec_headers=types.SimpleNamespace(get_header={"WARC-Target-URI": "https://a.example/"}.get),
        content_stream=lambda: io.BytesIO(body),
    )


def main():
    job = load(sys.argv[1])()
    job.args = types.SimpleNamespace(extract_rulesets=True)
    for response in responses(sys.argv[2]):
        job.init_accumulators(types.SimpleNamespace(sparkContext=types.SimpleNamespace(accumulator=Sum)))
        counts = Counter()
        for key, count in job.process_record(record(*response)):
            counts[key] += count
        found = {
            "counts": [[directive, value, count] for (directive, value), count in counts.items()],
            "not_200": job.records_not_http_200.value,
            "not_text": job.records_not_plain_text.value,
            "lines": job.robots_lines.value,
            "directives": job.robots_directives.value,
        }
        print(json.dumps(found))


main()
