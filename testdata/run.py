#!/usr/bin/env python3
"""Runs verger-testdata.json against a robots.txt parser. Fill in `Yours`, or copy an adapter."""
import argparse, base64, json, pathlib

class Urllib:
    def __init__(self, robots):  # bytes
        from urllib.robotparser import RobotFileParser
        self.parser = RobotFileParser()
        self.parser.parse(robots.decode("utf-8", "replace").splitlines())
    def allowed(self, agent, url): return self.parser.can_fetch(agent, url)
    def crawl_delay(self, agent): return self.parser.crawl_delay(agent)
    def sitemaps(self): return self.parser.site_maps() or []

class Protego:
    def __init__(self, robots):
        import protego
        self.parser = protego.Protego.parse(robots.decode("utf-8-sig", "replace"))
    def allowed(self, agent, url): return self.parser.can_fetch(url, agent)
    def crawl_delay(self, agent): return self.parser.crawl_delay(agent)
    def sitemaps(self): return list(self.parser.sitemaps)

class Yours:  # crawl_delay (seconds or None) and sitemaps are optional
    def __init__(self, robots): raise NotImplementedError("parse the bytes")
    def allowed(self, agent, url): raise NotImplementedError("return True or False")

def decode(case, key):
    data = case[key].encode() if key in case else base64.b64decode(case[key + "_b64"])
    if "repeat" in case:
        mark, text = case["repeat"]["mark"].encode(), case["repeat"]["text"].encode()
        data = data.replace(mark, text * case["repeat"]["count"])
    return data
def questions(suite, dialect):  # case, method, arguments, expected result
    for case in (case for case in suite["verdicts"] if dialect in case["expect"]):
        url = decode(case, "url").decode("utf-8", "surrogateescape")
        yield case, "allowed", (case["agent"], url), case["expect"][dialect]["allowed"]
    if dialect == "rfc9309":
        for case in suite["crawl_delays"]:
            yield case, "crawl_delay", (case["agent"],), case["seconds"]
        for case in suite["sitemaps"]: yield case, "sitemaps", (), case["urls"]
options = argparse.ArgumentParser(description=__doc__)
options.add_argument("adapter", choices=["urllib", "protego", "yours"])
options.add_argument("dialect", nargs="?", default="rfc9309")
options.add_argument("-v", action="store_true", help="list the failures")
options = options.parse_args()
adapter = {"urllib": Urllib, "protego": Protego, "yours": Yours}[options.adapter]
suite = json.loads(pathlib.Path(__file__).with_name("verger-testdata.json").read_text("utf-8"))
assert list(questions(suite, options.dialect)), f"no case has dialect {options.dialect!r}"
counts = {}
for case, method, arguments, expected in questions(suite, options.dialect):
    if not hasattr(adapter, method): continue
    try: found = getattr(adapter(decode(case, "robots")), method)(*arguments)
    except (ImportError, NotImplementedError): raise  # The adapter is not ready.
    except Exception as error: found = f"{type(error).__name__}: {error}"
    result = "passed" if found == expected else "contested" if "contested" in case else "failed"
    counts.setdefault(method, {"passed": 0, "failed": 0, "contested": 0})[result] += 1
    if options.v and result != "passed":
        print(f"{result}  {case['name']}: expected {expected}, but found {found}. {case['why']}")
for method, of in counts.items():
    print(f"{method}: {of['passed']} of {sum(of.values())} passed, {of['failed']} failed, {of['contested']} contested")
raise SystemExit(any(of["failed"] for of in counts.values()))
