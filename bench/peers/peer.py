"""A peer written in Python: does the work it is told on standard input, and times itself.

Usage: python peer.py protego|urllib

A line in is one JSON object, a line out is its answer:
  {"do": "about"}                 name, version, language
  {"do": "load", "path": ...}     the file names the blob and where each site's bytes and URLs are
  {"do": "answers"}               for each site a text of 1 and 0, or null for a site that it does not take
  {"do": "stage"}                 reads all files, to be asked
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
            told = json.load(file)
        with open(told["blob"], "rb") as file:
            blob = file.read()
        self.agent = told["agent"]
        self.sites = [(blob[start:end], urls) for start, end, urls, _ in told["sites"]]
        self.parsed = []

    def answers(self):
        return [self.answers_of(data, urls) for data, urls in self.sites]

    def answers_of(self, data, urls):
        try:
            parsed = self.peer.parse(data)
        except Exception:  # Whatever it throws at a file, it does not take it.
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
