"""Runs the Data Provenance Initiative's classification on files, and prints its results as JSON.

    python3 consent.py parse_robots.py files

`files` as for http_archive.mjs. The first line is the table over all files. The others are the
restrictions of each file, by agent.
"""

import importlib.util
import json
import struct
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("parse_robots", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bodies(path):
    with open(path, "rb") as file:
        while head := file.read(12):
            _, media_type, body = struct.unpack("<III", head)
            file.read(media_type)
            yield file.read(body).decode("utf-8", "replace")


def main():
    script = load(sys.argv[1])
    files = dict(enumerate(bodies(sys.argv[2])))
    table, by_file = script.analyze_robots(files)
    print(json.dumps(table))
    for number in files:
        print(json.dumps(by_file.get(number)))


main()
