"""A server on this machine whose robots.txt and log a test controls."""

from __future__ import annotations

import http.server
import os
import shutil
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

AGENT = "ExampleBot"
LOCAL: Any = {"allow_nets": ["127.0.0.0/8"]}
"""Options of a client that may connect to it."""

_BUILT = Path(__file__).parents[3] / "target" / "debug" / "verger"
PROGRAM: str | None = (
    os.environ.get("VERGER_PROGRAM")
    or shutil.which("verger", path=str(Path(sys.executable).parent))
    or shutil.which("verger")
    or (str(_BUILT) if _BUILT.exists() else None)
)
"""The program `verger`: that of the variable ``VERGER_PROGRAM``, of the wheel, of the path, or of a
build."""

RULES = b"User-agent: *\nDisallow: /cart\nSitemap: /sitemap.xml\n"


@dataclass
class Hit:
    """A request."""

    path: str
    """The target of the request; for a proxy the whole URL."""
    headers: dict[str, str]


@dataclass
class Site:
    """A server on a free port."""

    robots: tuple[int, bytes] = (200, RULES)
    """Status and body of robots.txt."""
    page: tuple[int, bytes] = (200, b"<meta name=robots content=noindex>")
    """Status and body of any other page."""
    fields: dict[str, str] = field(default_factory=dict)
    """Further header fields of pages."""
    slow: float = 0.0
    """Seconds before the response to a request for robots.txt."""
    hits: list[Hit] = field(default_factory=list)

    def __post_init__(self) -> None:
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                site.hits.append(Hit(self.path, headers))
                (status, body), kind = site.page, "text/html"
                fields = site.fields
                if self.path.endswith("/robots.txt"):
                    time.sleep(site.slow)
                    (status, body), kind, fields = site.robots, "text/plain", {}
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in fields.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def log(self) -> list[str]:
        """The targets of all requests."""
        return [hit.path for hit in self.hits]

    def stop(self) -> None:
        """Stops the server. Responses that it has not sent yet are lost."""
        self.server.shutdown()
        self.server.server_close()
