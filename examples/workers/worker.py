"""A crawler's worker that shares the service `verger-serve` with others: no library but Python's own.

    python3 worker.py http://127.0.0.1:8730 < urls.txt

It prints a line of JSON for each URL. Environment variable `VERGER_TOKEN` has the token, if the
service needs one.
"""

import heapq
import json
import os
import sys
import time
import urllib.error
import urllib.request

# The name of your crawler, and the header that sites see. The service has its own `user_agent`.
AGENT = "ExampleBot"
USER_AGENT = "ExampleBot/1.0 (+https://bot.example/)"
# Seconds for a page. The turn is reserved for longer, so it does not end during the request.
TIMEOUT = 20
HOLD = 30
# Tries for a URL while robots.txt cannot be fetched.
TRIES = 5


def ask(path, body, media_type="application/json"):
    """Sends a question to the service, and returns the text of the answer.

    Waits and asks again while the service is overloaded, or its store does not answer.
    """
    headers = {"Content-Type": media_type}
    if "VERGER_TOKEN" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["VERGER_TOKEN"]
    request = urllib.request.Request(SERVICE + path, body.encode(), headers)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.read().decode()
        except urllib.error.HTTPError as error:
            problem = error.read().decode()
            if error.code in {429, 503}:
                time.sleep(int(error.headers.get("Retry-After", 1)))
            elif error.code == 409:  # The turn has expired: the release comes too late.
                return problem
            else:
                sys.exit(f"{path}: {problem}")


def allowed(urls):
    """Yields the URLs that robots.txt does not disallow: one request for all, as NDJSON."""
    lines = [json.dumps({"agent": AGENT, "url": url}) for url in urls]
    answers = ask("/v1/check", "\n".join(lines), "application/x-ndjson").splitlines()
    for url, line in zip(urls, answers):
        answer = json.loads(line)
        # While robots.txt cannot be fetched, the answer can change. A turn waits for it.
        can_change = answer.get("reason") in {"unreachable", "pending", "busy"}
        if answer.get("allowed") or (can_change and not is_refused(answer)):
            yield url
        else:
            report(url, skipped=answer["error"]["message"] if "error" in answer else why(answer))


def failure(answer):
    """The failed fetch of robots.txt that decides an answer."""
    is_decisive = answer.get("reason") == "unreachable"
    return answer["decision"].get("failure", {}) if is_decisive else {}


def is_refused(answer):
    """Whether the guard of the service refuses to connect to the site."""
    return failure(answer).get("kind") == "refused"


def why(answer):
    """Why a URL is skipped: the cause of a failed fetch, or the reason of the answer."""
    return failure(answer).get("message", answer["reason"])


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect needs a turn of its own."""

    def redirect_request(self, *arguments):
        return None


PAGES = urllib.request.build_opener(NoRedirects)


def fetch(url):
    """Requests a page; returns how the turn ends."""
    request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT})
    try:
        with PAGES.open(request, timeout=TIMEOUT) as response:
            response.read()
            return {"status": response.status}
    except urllib.error.HTTPError as error:
        end = {"status": error.code}
        retry_after = error.headers.get("Retry-After", "")
        if retry_after.isdigit() and len(retry_after) < 8:
            end["retry_after"] = int(retry_after)
        return end
    except OSError:
        return {"failed": True}


def crawl(urls):
    # The URL that is due first is next, whatever others wait for.
    queue = [(0.0, number, url, TRIES) for number, url in enumerate(urls)]
    heapq.heapify(queue)
    while queue:
        due, number, url, tries = heapq.heappop(queue)
        time.sleep(max(0.0, due - time.monotonic()))
        # The service waits up to a second for a free turn, in place of the worker.
        question = {"agent": AGENT, "url": url, "hold_seconds": HOLD, "wait_ms": 1000}
        turn = json.loads(ask("/v1/turns", json.dumps(question)))
        if not turn["granted"]:
            answer, wait = turn["answer"], turn.get("wait_ms")
            is_final = is_refused(answer) or (wait is None and answer["reason"] != "unreachable")
            if is_final or (not answer["allowed"] and tries == 1):
                report(url, skipped=why(answer))
                continue
            # Another worker has the turn, or robots.txt is not known yet. Another URL is next.
            pause = min(60_000 if wait is None else wait, 1_000 if answer["allowed"] else 60_000)
            due = time.monotonic() + pause / 1000
            tries -= not answer["allowed"]
            heapq.heappush(queue, (due, number, url, tries))
            continue
        end = fetch(url)
        ask(f"/v1/turns/{turn['turn']}/release", json.dumps(end))
        report(url, status=end.get("status"))


def report(url, **result):
    print(json.dumps({"url": url, **result}), flush=True)


if __name__ == "__main__":
    SERVICE = sys.argv[1].rstrip("/")
    crawl(allowed([line.strip() for line in sys.stdin if line.strip()]))
