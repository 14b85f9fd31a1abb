"""A site whose robots.txt changes eight times, and crawlers of known behaviour.

Every request states the verdict that it must get. The verdicts are written by hand from the behaviour:
nothing here parses a robots.txt.
"""

import calendar
from collections import namedtuple

HOST = "shop.example"
# 5 January 2026, 00:00 UTC. The log begins half an hour later.
START = calendar.timegm((2026, 1, 5, 0, 0, 0))
HOUR = 3600
DAY = 24 * HOUR

CCBOT = "User-agent: CCBot\nCrawl-delay: 10\nDisallow: /private/\n\n"


def robots(*paths, more=""):
    return CCBOT + more + "User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in paths)


def at(day, hour=0, minute=0, second=0):
    return START + day * DAY + hour * HOUR + minute * 60 + second


# Times and texts. The first one is older than the log. `/open/` is always allowed, and `/private/`
# only on the day of the open house.
VERSIONS = [
    (at(-40), robots("/private/")),
    (at(14, 12), robots("/private/", "/drafts/")),
    (at(30, 12), robots("/private/", "/search")),
    (at(45, 12), robots("/private/", "/search", more="User-agent: ShopAuditBot\nDisallow: /stock/\n\n")),
    (at(60, 12), "# open house\n"),
    (at(61, 12), robots("/private/", "/cart/")),
    (at(90, 12), robots("/private/", "/cart/", "/archive/")),
    (at(105, 12), CCBOT + "User-agent: *\nDisallow: /\nAllow: /open/\n"),
    (at(120, 12), robots("/private/", "/archive/")),
]

# A crawler: its row in the report, its header, its address, and whether its operator proves it.
Crawler = namedtuple("Crawler", "token header address is_proved")
# A request and the verdict that it must get. `answer` is a status that the server must give in place of
# its own; `is_renewal` makes it conditional.
Request = namedtuple("Request", "time crawler target verdict method answer is_renewal")

# The lists of addresses by their URLs, with the tokens of their crawlers and a prefix for each.
LISTS = {
    "https://developers.google.com/static/crawling/ipranges/common-crawlers.json": (1, "Googlebot", "Googlebot-Image"),
    "https://openai.com/gptbot.json": (2, "GPTBot"),
    "https://openai.com/searchbot.json": (3, "OAI-SearchBot"),
    "https://openai.com/chatgpt-user.json": (4, "ChatGPT-User"),
    "https://claude.com/crawling/bots.json": (5, "ClaudeBot", "Claude-User"),
    "https://index.commoncrawl.org/ccbot.json": (6, "CCBot"),
    "https://www.bing.com/toolbox/bingbot.json": (7, "bingbot"),
    "https://duckduckgo.com/duckduckbot.json": (8, "DuckDuckBot"),
    "https://search.developer.apple.com/applebot.json": (9, "Applebot"),
    "https://www.perplexity.com/perplexitybot.json": (10, "PerplexityBot"),
    "https://www.perplexity.com/perplexity-user.json": (11, "Perplexity-User"),
    "https://api.ahrefs.com/v3/public/crawler-ip-ranges": (12, "AhrefsBot"),
    "https://mistral.ai/mistralai-index-ips.json": (13, "MistralAI-Index"),
    "https://marginalia-search.com/crawler-ips.txt": (14, "search.marginalia.nu"),
    "https://geedo.com/product-search/product-search-ip.json": (15, "GeedoProductSearch"),
    "https://my.pingdom.com/probes/ipv4": (16, "Pingdom"),
    "https://sentry.io/api/0/uptime-ips/": (17, "SentryUptimeBot"),
    "https://uptime.betterstack.com/ips-by-cluster.json": (18, "BetterUptimeBot"),
    "https://ip-ranges.datadoghq.com/synthetics.json": (19, "DatadogSynthetics"),
    "https://api.checklyhq.com/v1/static-ips": (20, "Checkly"),
    "https://developer.amazon.com/amazonbot/ip-addresses/": (21, "Amazonbot"),
    "https://integralads.com/policy-docs/iasbot.json": (22, "ias_crawler"),
}
# The lists name their crawlers, and this prefix for something else: on loopback, where no other address
# fails, whoever comes from there is an impostor.
IMPOSTORS = 66


def lists():
    """The lists as objects of a file for `--lists`."""
    for url, (prefix, *tokens) in LISTS.items():
        prefixes = [
            {"ipv4Prefix": f"127.{prefix}.0.0/16", "services": tokens},
            {"ipv4Prefix": f"127.{IMPOSTORS}.0.0/16", "services": ["something else"]},
        ]
        yield {"urls": [url], "copied": "2025-12-01", "list": {"prefixes": prefixes}}


def proved(token, header=None):
    """A crawler at an address of its operator."""
    prefix, *tokens = next(entry for entry in LISTS.values() if token in entry[1:])
    return Crawler(token, header or f"{token}/1.0", f"127.{prefix}.7.{10 + tokens.index(token)}", True)


def unproved(token, last, header=None):
    """A crawler whose operator publishes no proof."""
    return Crawler(token, header or f"{token}/1.0", f"127.99.0.{last}", False)


def impostor(token, last):
    return Crawler(token, f"{token}/2.1", f"127.{IMPOSTORS}.0.{last}", False)


def get(time, crawler, target, verdict, method="GET", answer=None, is_renewal=False):
    return Request(time, crawler, target, verdict, method, answer, is_renewal)


def fetch(time, crawler, answer=None, verdict="robots_txt", **more):
    return get(time, crawler, "/robots.txt", verdict, answer=answer, **more)


def obedient():
    """Google's crawler fetches the file every day, also for its crawler of images."""
    googlebot = proved("Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
    for day in range(130):
        yield fetch(at(day, 6), googlebot)
        yield get(at(day, 6, 30), googlebot, f"/open/{day}", "allowed")
        yield get(at(day, 18), googlebot, f"/open/{day}?evening", "allowed")
    for day in [*range(2, 14), *range(32, 60)]:
        yield get(at(day, 20), googlebot, f"/drafts/{day}", "allowed")
    for day in range(5, 100, 5):
        yield get(at(day, 7), proved("Googlebot-Image"), f"/open/{day}.png", "allowed")
    amazonbot = proved("Amazonbot", "Mozilla/5.0 (compatible; Amazonbot/0.1)")
    for day in range(1, 11):
        yield fetch(at(day, 4), amazonbot)
        yield get(at(day, 4, 1), amazonbot, f"/open/{day}", "allowed")


def deaf():
    """It reads every rule and obeys none; another crawler of its operator never asks itself."""
    gptbot = proved("GPTBot", "Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)")
    for day in range(1, 130, 4):
        yield fetch(at(day, 3), gptbot)
        verdict = "allowed" if day == 61 else "disallowed_known"
        yield get(at(day, 3, 5), gptbot, f"/private/{day}", verdict)
    search = proved("OAI-SearchBot")
    yield get(at(9, 10), search, "/private/9", "disallowed_unread")
    yield get(at(10, 2, 59, 59), search, "/private/10", "disallowed_unread")
    yield get(at(10, 3), search, "/private/10", "unknown")
    yield get(at(10, 3, 1), search, "/private/10", "disallowed_unread")
    yield get(at(10, 4), search, "/open/10", "allowed")
    meta = unproved("meta-externalagent", 1)
    yield fetch(at(40, 9), meta)
    for minute in range(10):
        yield get(at(40, 10, minute), meta, f"/private/{minute}", "disallowed_known")
    spider = unproved("360Spider", 2)
    yield fetch(at(106, 9), spider)
    yield get(at(106, 9, 1), spider, "/open/1", "allowed")
    yield get(at(106, 9, 2), spider, "/", "disallowed_known")


def late():
    """It fetches the file at midnight and keeps it for the day; the changes come at noon."""
    claudebot = proved("ClaudeBot", "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)")
    for day in range(1, 41):
        yield fetch(at(day), claudebot)
        yield get(at(day, 17), claudebot, f"/open/{day}", "allowed")
    yield get(at(13, 18), claudebot, "/drafts/13", "allowed")
    yield get(at(14, 11, 59, 59), claudebot, "/drafts/14", "allowed")
    yield get(at(14, 12), claudebot, "/drafts/14", "allowed")
    yield get(at(14, 12, 1, 1), claudebot, "/drafts/14", "grace")
    yield get(at(14, 18), claudebot, "/drafts/14", "grace")
    yield get(at(15, 1), claudebot, "/drafts/15", "disallowed_known")
    yield get(at(30, 18), claudebot, "/search?q=1", "grace")
    # It does not know yet that this is allowed again.
    yield get(at(30, 18, 1), claudebot, "/drafts/30", "disallowed_known")
    # Today's rule and yesterday's visit.
    better = proved("BetterUptimeBot")
    yield fetch(at(89, 13), better)
    yield get(at(89, 14), better, "/archive/2020", "allowed")
    yield get(at(90, 12, 30), better, "/archive/2020", "grace")
    yield get(at(90, 13, 30), better, "/archive/2020", "disallowed_unread")
    yield fetch(at(91, 13), better)
    yield get(at(91, 14), better, "/archive/2020", "disallowed_known")


def fast():
    """A delay of ten seconds, ignored two minutes after it was read, and obeyed on the next day."""
    ccbot = proved("CCBot", "CCBot/2.0 (https://commoncrawl.org/faq/)")
    yield fetch(at(20, 12), ccbot)
    for second in range(1, 31):
        yield get(at(20, 12, 2, second), ccbot, f"/open/{second}", "allowed")
    yield fetch(at(21, 12), ccbot)
    for step in range(1, 13):
        yield get(at(21, 12) + 11 * step, ccbot, f"/open/{step}", "allowed")


def stale():
    """A file of the first day, used for weeks; nothing is wrong until a new rule forbids the page."""
    bingbot = proved("bingbot", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)")
    yield fetch(at(1, 5), bingbot)
    for day in range(2, 42, 2):
        verdict = "disallowed_unread" if 14 < day <= 30 else "allowed"
        yield get(at(day, 5), bingbot, f"/drafts/{day}", verdict)
    # The end of its lifetime.
    ias = proved("ias_crawler")
    yield fetch(at(95), ias)
    yield get(at(95, 23, 59, 59), ias, "/archive/1", "disallowed_known")
    yield get(at(96), ias, "/archive/1", "unknown")
    yield get(at(96, 0, 1), ias, "/archive/1", "disallowed_unread")


def never_asked():
    """In the first day of the log, it may have asked before."""
    ahrefs = proved("AhrefsBot", "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)")
    yield get(at(0, 1), ahrefs, "/private/0", "unknown")
    yield get(at(0, 2), ahrefs, "/open/0", "allowed")
    yield get(at(1, 0, 30, 59), ahrefs, "/private/1", "unknown")
    yield get(at(1, 0, 31), ahrefs, "/private/1", "disallowed_unread")
    for day in range(2, 100, 7):
        yield get(at(day, 1), ahrefs, f"/private/{day}", "disallowed_unread")
        yield get(at(day, 2), ahrefs, f"/open/{day}", "allowed")
    # HEAD does not read the file.
    pingdom = proved("Pingdom", "Pingdom.com_bot_version_1.4_(http://www.pingdom.com/) Pingdom/1.4")
    yield fetch(at(35, 1), pingdom, method="HEAD")
    yield get(at(35, 2), pingdom, "/private/35", "disallowed_unread")
    bytespider = unproved("Bytespider", 3, "Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)")
    for day in range(41, 46):
        yield get(at(day, 1), bytespider, f"/private/{day}", "disallowed_unread")


def blocked():
    """Our server refuses them the file."""
    duck = proved("DuckDuckBot", "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)")
    for day in range(2, 21):
        yield fetch(at(day, 8), duck, 503)
        yield get(at(day, 8, 10), duck, f"/open/{day}", "could_not_read")
        yield get(at(day, 8, 20), duck, f"/private/{day}", "could_not_read")
    yield fetch(at(21, 8), duck)
    yield get(at(21, 8, 10), duck, "/open/21", "allowed")
    yield get(at(21, 8, 20), duck, "/private/21", "disallowed_known")
    for day, token, status in [(6, "PerplexityBot", 202), (36, "SentryUptimeBot", 429)]:
        yield fetch(at(day, 10), proved(token), status)
        yield get(at(day, 11), proved(token), "/open/1", "could_not_read")
        yield get(at(day, 12), proved(token), "/private/1", "could_not_read")
    # A 4xx is permission for a day.
    apple = proved("Applebot", "Mozilla/5.0 (compatible; Applebot/0.1; +http://www.apple.com/go/applebot)")
    yield fetch(at(3, 9), apple, 403)
    yield get(at(3, 10), apple, "/private/3", "allowed")
    yield get(at(4, 9, 1), apple, "/private/4", "disallowed_unread")
    yield get(at(4, 10), apple, "/open/4", "allowed")
    checkly = proved("Checkly")
    yield fetch(at(100, 9), checkly, 404)
    yield get(at(100, 10), checkly, "/private/100", "allowed")
    # What a redirect leads to is not in the log.
    geedo = proved("GeedoProductSearch", "Mozilla/5.0 (compatible; GeedoProductSearch)")
    yield fetch(at(33, 9), geedo, 301)
    yield get(at(33, 10), geedo, "/private/33", "unknown")
    yield get(at(33, 11), geedo, "/open/33", "allowed")
    yield get(at(34, 10), geedo, "/private/34", "disallowed_unread")


def outage():
    """It has a file, and then robots.txt fails: the file counts on."""
    mistral = proved("MistralAI-Index")
    yield fetch(at(12, 12), mistral)
    yield fetch(at(13, 13), mistral, 503)
    yield get(at(14, 11), mistral, "/drafts/14", "allowed")
    yield fetch(at(15, 1), mistral, 503)
    yield get(at(15, 2), mistral, "/drafts/15", "grace")
    yield get(at(15, 3), mistral, "/private/15", "disallowed_known")
    yield fetch(at(16, 1), mistral)
    yield get(at(16, 2), mistral, "/drafts/16", "disallowed_known")


def renewing():
    """304 confirms the file of five days ago."""
    marginalia = proved("search.marginalia.nu", "search.marginalia.nu")
    yield fetch(at(25, 10), marginalia)
    for day in range(26, 30):
        yield fetch(at(day, 10), marginalia, is_renewal=True)
        yield get(at(day, 10, 30), marginalia, f"/open/{day}", "allowed")
    yield get(at(29, 11), marginalia, "/drafts/29", "disallowed_known")


def impostors():
    google, bing = impostor("Googlebot", 1), impostor("bingbot", 2)
    for day in range(5, 26):
        yield fetch(at(day, 6, 1), google, verdict="impostor")
        yield get(at(day, 6, 2), google, "/private/1", "impostor")
    for day in range(2, 40, 5):
        yield get(at(day, 5, 1), bing, f"/drafts/{day}", "impostor")


def user_triggered():
    for day in range(1, 100, 10):
        yield get(at(day, 15), proved("ChatGPT-User", "Mozilla/5.0 (compatible; ChatGPT-User/1.0)"), "/private/1", "user_triggered")
    claude = proved("Claude-User", "Mozilla/5.0 (compatible; Claude-User/1.0)")
    yield fetch(at(50, 15), claude)
    yield get(at(50, 16), claude, "/private/50", "user_triggered")
    for day in range(60, 65):
        yield get(at(day, 16), proved("Perplexity-User"), "/private/1", "user_triggered")


def named_in_a_group():
    """No list of crawlers knows it; a group of robots.txt does, from the third change on."""
    own = unproved("ShopAuditBot", 5)
    yield fetch(at(44, 1), own)
    yield get(at(44, 2), own, "/stock/1", "allowed")
    yield get(at(44, 3), own, "/search", "disallowed_known")
    yield fetch(at(46, 1), own)
    yield get(at(46, 2), own, "/stock/1", "disallowed_known")
    yield get(at(46, 3), own, "/search", "allowed")


def absolute_targets():
    datadog = proved("DatadogSynthetics", "Mozilla/5.0 DatadogSynthetics")
    yield fetch(at(92, 1), datadog)
    yield get(at(92, 2), datadog, f"http://{HOST}/private/92", "disallowed_known")
    yield get(at(92, 3), datadog, f"http://{HOST}/open/92", "allowed")
    yield get(at(92, 4), datadog, "http://other.example/open/92", "unknown")


def people():
    browser = Crawler(None, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "127.200.0.1", False)
    yield get(at(0, 0, 30), browser, "/open/", "not_a_crawler")
    # Apache counts the bytes of header fields, too: a response without a body shows that.
    yield get(at(0, 0, 31), browser._replace(header="curl/8.5.0"), "/open/", "not_a_crawler", method="HEAD")
    for day in range(1, 130, 3):
        yield get(at(day, 21), browser, "/private/", "not_a_crawler")
    yield get(at(50, 1), browser._replace(header="curl/8.5.0"), "/private/", "not_a_crawler")
    # Names inside other words.
    for header in ["NotGooglebot/2.1", "GPTBotanist/1.0", "Mozilla/5.0 (https://example.com/bingbot)"]:
        yield get(at(70, 21, 30) + len(header), browser._replace(header=header), "/private/", "not_a_crawler")


BEHAVIOURS = [
    obedient, deaf, late, fast, stale, never_asked, blocked, outage, renewing, impostors, user_triggered,
    named_in_a_group, absolute_targets, people,
]


def requests():
    """All requests, in order of time."""
    return sorted((request for behave in BEHAVIOURS for request in behave()), key=lambda request: request.time)
