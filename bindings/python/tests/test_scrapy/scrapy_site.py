"""A web site on this machine whose answers a test chooses and whose log it reads."""

from __future__ import annotations

import datetime
import functools
import ipaddress
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class Answer:
    """A response."""

    status: int = 200
    body: bytes = b""
    headers: Sequence[tuple[str, str]] = ()
    wait: Callable[[], object] | None = None
    """Called before the response."""
    stated_length: int | None = None
    """Content-Length, if it is not the length of the body."""
    repeat: int = 1
    """Number of times that the body is sent."""


@dataclass
class Hit:
    """A request that the site has received."""

    at: float
    path: str
    headers: dict[str, str]
    answered_at: float | None = None
    sent: int = 0
    """Bytes of the body that the site could send."""


@dataclass
class Site:
    """A server on a free port. Paths without an answer have status 200."""

    robots: Answer | list[Answer] = field(default_factory=Answer)
    """The answer for /robots.txt. Of a list the first is used once; the last one stays."""
    host: str = "127.0.0.1"
    """The name in URLs. It must be a name or address of this machine."""
    tls: bool = False
    answers: dict[str, Answer] = field(default_factory=dict)
    hits: list[Hit] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"site": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        if self.tls:
            self._server.socket = _context().wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()

    @property
    def origin(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"

    def url(self, path: str) -> str:
        return f"{self.origin}{path}"

    def count(self, path: str = "/robots.txt") -> int:
        """The number of requests for a path."""
        return len(self.of(path))

    def of(self, path: str = "/robots.txt") -> list[Hit]:
        """The requests for a path."""
        with self._lock:
            return [hit for hit in self.hits if hit.path == path]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take(self, hit: Hit) -> Answer:
        """The answer to a request, which goes to the log."""
        with self._lock:
            self.hits.append(hit)
            if hit.path in self.answers:
                return self.answers[hit.path]
            if hit.path != "/robots.txt":
                return Answer(body=b"a page")
            if isinstance(self.robots, Answer):
                return self.robots
            return self.robots.pop(0) if len(self.robots) > 1 else self.robots[0]


class _Handler(BaseHTTPRequestHandler):
    site: Site
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        hit = Hit(time.monotonic(), self.path, headers)
        answer = self.site.take(hit)
        if answer.wait is not None:
            answer.wait()
        hit.answered_at = time.monotonic()
        has_body = answer.status not in {204, 304}
        length = answer.stated_length
        if length is None:
            length = len(answer.body) * answer.repeat
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if has_body:
            self.send_header("Content-Length", str(length))
        # Scrapy's pool keeps connections, and a stopped server would leave them open.
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if not has_body:
            return
        try:
            for _ in range(answer.repeat):
                self.wfile.write(answer.body)
                hit.sent += len(answer.body)
        except OSError:
            return

    def do_CONNECT(self) -> None:
        """As a proxy that opens no tunnel."""
        answer = self.site.take(Hit(time.monotonic(), self.path, {}))
        self.send_response(answer.status)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


@functools.cache
def certificate() -> tuple[bytes, bytes]:
    """A certificate for this machine that signs itself, and its key, in PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    unencrypted = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    return signed.public_bytes(pem), key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, unencrypted
    )


@functools.cache
def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "site.pem"
        path.write_bytes(b"".join(certificate()))
        context.load_cert_chain(path)
    return context
