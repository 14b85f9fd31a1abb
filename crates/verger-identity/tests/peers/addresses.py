"""Compares `verger identify` with ai-crawler-verify on the edges of all prefixes that it knows.

Usage: addresses.py VERGER. Prints the differences that are not expected, and exits with 1 if there
are any.
"""

import ipaddress
import json
import subprocess
import sys
from collections import Counter

import ai_crawler_verify as peer

# The peer reads one of two lists that Google publishes for these fetchers.
ONE_OF_TWO_LISTS = {"source": "google-user-triggered", "other": "google-user-triggered-google"}


# Google lists these among its common crawlers, whose addresses are those of Googlebot. The peer
# compares them with the list of special crawlers.
COMMON = {"Google-CloudVertexBot", "Google-InspectionTool", "GoogleOther", "GoogleOther-Image",
          "GoogleOther-Video", "Storebot-Google"}
# It sends the header of Googlebot, so no header claims it.
WITHOUT_HEADER = {"Googlebot-News"}


def edges(prefix):
    """The first and the last address of a prefix, and their neighbours."""
    network = ipaddress.ip_network(prefix, strict=False)
    most = 2**network.max_prefixlen - 1
    for address in (int(network[0]), int(network[-1])):
        for near in (address - 1, address, address + 1):
            if 0 <= near <= most:
                yield type(network[0])(near)


def is_in(address, source):
    prefixes = peer._DATA["sources"][source]
    key = "ipv4" if address.version == 4 else "ipv6"
    return any(address in ipaddress.ip_network(prefix) for prefix in prefixes[key])


def main(verger):
    sources = peer._DATA["sources"]
    crawlers = [row for row in peer.crawlers().values() if row.get("source") in sources]
    every = {address for source in sources.values() for key in ("ipv4", "ipv6")
             for prefix in source[key] for address in edges(prefix)}
    sample = sorted(every, key=lambda it: (it.version, int(it)))[::97]
    questions = []
    for crawler in crawlers:
        source = sources[crawler["source"]]
        own = {address for key in ("ipv4", "ipv6") for prefix in source[key] for address in edges(prefix)}
        header = f"Mozilla/5.0 (compatible; {crawler['ua']}/1.0)"
        questions += [(crawler, header, address) for address in [*own, *sample]]
    lines = "".join(json.dumps({"ip": str(address), "user_agent": header, "at": "2026-09-10"}) + "\n"
                    for _, header, address in questions)
    command = [verger, "identify", "--batch", "-", "--offline"]
    output = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in output.stdout.splitlines()]
    assert len(answers) == len(questions), output.stderr
    found = Counter()
    for (crawler, header, address), answer in zip(questions, answers, strict=True):
        verified = peer.verify(address, header, allow_dns=False)["verified"]
        claim = next((it for it in answer["claims"] if it["crawler"].lower() == crawler["ua"].lower()), None)
        status = claim["addresses"]["status"] if claim else "no claim"
        if (status, verified) in (("verified", True), ("failed", False)):
            found["equal"] += 1
        elif status == "not_checked" and verified is False and claim["addresses"]["reason"] == "proxy":
            found["address of a proxy"] += 1
        elif (crawler["source"] == ONE_OF_TWO_LISTS["source"] and status == "verified"
              and is_in(address, ONE_OF_TWO_LISTS["other"])):
            found["in the second list of Google"] += 1
        elif crawler["ua"] in COMMON and is_in(address, "google-googlebot") == (status == "verified"):
            found["a common crawler of Google"] += 1
        elif crawler["ua"] in WITHOUT_HEADER and status == "no claim":
            found["without a header of its own"] += 1
        else:
            found[f"unexpected: {crawler['ua']} {status} {verified}"] += 1
    for name, count in sorted(found.items()):
        print(f"{count:8} {name}")
    return any(name.startswith("unexpected") for name in found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
