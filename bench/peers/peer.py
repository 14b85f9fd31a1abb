"""A peer written in Python: reads commands on standard input, and times its work.

Usage: python peer.py protego|urllib

An input line is a JSON object, an output line is its reply:
  {"do": "about"}                 name, version, language
  {"do": "load", "path": ...}     a file with the blob's name, and each site's position in it and URLs
  {"do": "answers"}               for each site a text of 1, 0 and - (refused URL), or null for a refused site
  {"do": "stage"}                 parses all files
  {"do": "one-shot"|"parse"|"match-hot", "round": n, "repeats": n}   nanoseconds
  {"do": "match-cold", "order": [[site, question], ...]}             nanoseconds
"""

import json
import platform
import sys
from time import perf_counter_ns
from urllib.robotparser import RobotFileParser


class Urllib:
    name = "urllib.robotparser"

    @staticmethod
    def version():
        return platform.python_version()

    @staticmethod
    def parse(data):
        parser = RobotFileParser()
        parser.parse(data.decode("utf-8", "replace").splitlines())
        return parser

    @staticmethod
    def allowed(parser, agent, url):
        return parser.can_fetch(agent, url)


class Protego:
    name = "Protego"

    @staticmethod
    def version():
        from importlib.metadata import version

        return version("protego")

    def __init__(self):
        from protego import Protego as Parser

        self.parser = Parser

    def parse(self, data):
        return self.parser.parse(data.decode("utf-8", "replace"))

    @staticmethod
    def allowed(parser, agent, url):
        return parser.can_fetch(url, agent)


class Work:
    def __init__(self, peer):
        self.peer = peer
        self.agent = ""
        self.sites = []
        self.parsed = []

    def load(self, path):
        with open(path, encoding="utf-8") as file:
            setup = json.load(file)
        with open(setup["blob"], "rb") as file:
            blob = file.read()
        self.agent = setup["agent"]
        self.sites = [(blob[start:end], urls) for start, end, urls, _ in setup["sites"]]
        self.parsed = []

    def answers(self):
        return [self.answers_of(data, urls) for data, urls in self.sites]

    def answers_of(self, data, urls):
        try:
            parsed = self.peer.parse(data)
        except Exception:  # Any exception means that the file is refused.
            return None
        return "".join(self.answer(parsed, url) for url in urls)

    def answer(self, parsed, url):
        try:
            return "1" if self.peer.allowed(parsed, self.agent, url) else "0"
        except Exception:
            return "-"

    def one_shot(self, turn):
        parse, allowed, agent = self.peer.parse, self.peer.allowed, self.agent
        start = perf_counter_ns()
        for data, urls in self.sites:
            allowed(parse(data), agent, urls[turn % len(urls)])
        return perf_counter_ns() - start

    def parse(self):
        parse = self.peer.parse
        start = perf_counter_ns()
        for data, _ in self.sites:
            parse(data)
        return perf_counter_ns() - start

    def match_hot(self, repeats):
        allowed, agent = self.peer.allowed, self.agent
        start = perf_counter_ns()
        for parsed, (_, urls) in zip(self.parsed, self.sites):
            for _ in range(repeats):
                for url in urls:
                    allowed(parsed, agent, url)
        return perf_counter_ns() - start

    def match_cold(self, order):
        allowed, agent, parsed, sites = self.peer.allowed, self.agent, self.parsed, self.sites
        start = perf_counter_ns()
        for site, question in order:
            allowed(parsed[site], agent, sites[site][1][question])
        return perf_counter_ns() - start

    def do(self, line):
        what = line["do"]
        if what == "about":
            return {
                "name": self.peer.name,
                "version": self.peer.version(),
                "language": f"{platform.python_implementation()} {platform.python_version()}",
            }
        if what == "load":
            return self.load(line["path"])
        if what == "answers":
            return self.answers()
        if what == "stage":
            self.parsed = [self.peer.parse(data) for data, _ in self.sites]
            return None
        if what == "one-shot":
            return self.one_shot(line["round"])
        if what == "parse":
            return self.parse()
        if what == "match-hot":
            return self.match_hot(line["repeats"])
        if what == "match-cold":
            return self.match_cold(line["order"])
        raise ValueError(f"expected a known work, but found {what}")


def main():
    work = Work({"protego": Protego, "urllib": Urllib}[sys.argv[1]]())
    for line in sys.stdin:
        print(json.dumps(work.do(json.loads(line))), flush=True)


main()
