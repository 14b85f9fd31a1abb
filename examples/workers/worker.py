"""A crawler's worker that shares the service `verger-serve` with others: no library but Python's own.

    python3 worker.py http://127.0.0.1:8730 < urls.txt

It prints a line of JSON for each URL. Environment variable `VERGER_TOKEN` has the token, if the
service needs one.
"""

import heapq
import http.client
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
# Tries for a URL while robots.txt cannot be fetched, and for a question without an answer.
TRIES = 5
# Questions in one request, and bytes of their URLs. `urllib` sends the whole body before it reads
# an answer, and the service reads no further while its answers wait. So a body must be small enough
# for the buffers of the connection.
BATCH = 500
BATCH_BYTES = 64 * 1024
# Bytes of a URL that the service accepts.
LONGEST = 8 * 1024


def ask(path, body, media_type="application/json"):
    """Sends a question to the service, and returns the text of the answer.

    Waits and asks again while the service is overloaded, or its store does not answer. Gives up
    after some tries if there is no response, for example because the service has stopped.
    """
    headers = {"Content-Type": media_type}
    if "VERGER_TOKEN" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["VERGER_TOKEN"]
    request = urllib.request.Request(SERVICE + path, body.encode(), headers)
    failures = 0
    while True:
        try:
            response, text = exchange(request)
        except (OSError, http.client.HTTPException) as error:
            failures += 1
            if failures == TRIES:
                sys.exit(f"{SERVICE}{path}: no response in {TRIES} tries: {error}")
            time.sleep(2**failures)
            continue
        if response.status in {429, 503}:
            time.sleep(int(response.headers.get("Retry-After", 1)))
        # 409: the turn has expired, and the release comes too late.
        elif response.status < 400 or response.status == 409:
            return text
        else:
            sys.exit(f"{path}: {text}")


def exchange(request):
    """Sends a request; returns the response of any status, and its text."""
    try:
        response = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        return response, response.read().decode()


def allowed(urls):
    """Yields the URLs that robots.txt does not disallow."""
    for batch in batches(urls):
        for url, answer in zip(batch, check(batch)):
            # While robots.txt cannot be fetched, the answer can change. A turn waits for it.
            can_change = answer.get("reason") in {"unreachable", "pending", "busy"}
            if answer.get("allowed") or (can_change and not is_refused(answer)):
                yield url
            else:
                cause = answer["error"]["message"] if "error" in answer else why(answer)
                report(url, skipped=cause)


def batches(urls):
    """Yields lists of URLs for one request each."""
    batch, size = [], 0
    for url in urls:
        # Bytes that are not UTF-8 are lone surrogates here, which are not printable.
        if not url.isprintable():
            shown = url.encode(errors="backslashreplace").decode()
            report(shown, skipped="the URL is not printable text in UTF-8")
            continue
        length = len(url.encode())
        if length > LONGEST:
            report(url, skipped=f"the URL has more than {LONGEST} bytes")
            continue
        if len(batch) == BATCH or size + length > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(url)
        size += length
    if batch:
        yield batch


def check(urls):
    """Returns the answers for URLs, in their order: one request for all, as NDJSON.

    Asks again for those without an answer. A stream can end early: the service stops.
    """
    answers = {}
    for _ in range(TRIES):
        numbers = [number for number in range(len(urls)) if number not in answers]
        questions = [{"id": number, "agent": AGENT, "url": urls[number]} for number in numbers]
        lines = [json.dumps(question, ensure_ascii=False) for question in questions]
        text = ask("/v1/check", "\n".join(lines), "application/x-ndjson")
        for answer in map(json.loads, filter(None, text.split("\n"))):
            # An error without `id` is about the stream and not about a URL.
            if "id" in answer:
                answers[answer["id"]] = answer
        if len(answers) == len(urls):
            return [answers[number] for number in range(len(urls))]
        time.sleep(1)
    missing = len(urls) - len(answers)
    sys.exit(f"{SERVICE}/v1/check: no answer for {missing} URLs in {TRIES} tries")


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
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    crawl(allowed([line.strip() for line in sys.stdin if line.strip()]))
