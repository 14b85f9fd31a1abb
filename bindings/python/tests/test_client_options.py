"""Wrong options of a client, and files that cannot be opened."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
import verger
from local_site import AGENT, LOCAL, Site

if not hasattr(verger, "Client"):
    pytest.skip("built without the client", allow_module_level=True)

CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBHTCBw6ADAgECAgEBMAoGCCqGSM49BAMCMBcxFTATBgNVBAMMDHNob3AuZXhh
bXBsZTAgFw0yNjAxMDEwMDAwMDBaGA8yMTI2MDEwMTAwMDAwMFowFzEVMBMGA1UE
AwwMc2hvcC5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAETW6SglD9
7auAZqT7t3RA1miVlNkZFda1+GHTCivQ4MDciB9wwqDyxdVi5taep3UXxsuXHst5
CNKGrEH10u7fPjAKBggqhkjOPQQDAgNJADBGAiEAysMW1LjaW08djYmQoDHW0vqE
UTmM1rYx3Va3Damef4YCIQDU9n2AMQLQZSa0Emf9Z33HKJcIv+bZUw2i7BIYwvIk
WA==
-----END CERTIFICATE-----
"""


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"timeout": -1}, ValueError, "timeout: expected 0.01 to 120 seconds, but found -1"),
        ({"timeout": 0}, ValueError, "timeout: expected 0.01 to 120 seconds, but found 0"),
        ({"timeout": float("nan")}, ValueError, "timeout: expected 0.01 to 120 seconds"),
        ({"timeout": "x"}, TypeError, "timeout: must be real number, not str"),
        ({"max_age": -1}, ValueError, "max_age: expected 0 seconds or more, but found -1"),
        ({"max_wait": -1}, ValueError, "max_wait: expected 0 seconds or more, but found -1"),
        ({"pause": 1e9}, ValueError, "pause: expected 0 to 86400 seconds, but found 1000000000"),
        ({"max_pause": 0}, ValueError, "max_pause: expected 1 to 86400 seconds, but found 0"),
        ({"dialect": "gopher"}, ValueError, "dialect: expected .*rfc9309.*, but found `gopher`"),
        ({"access_profile": "gopher"}, ValueError, "access_profile: expected .*strict.*`gopher`"),
        ({"proxy": "nope"}, ValueError, "proxy: expected a URL such as"),
        ({"allow_nets": ["x"]}, ValueError, "allow_nets: expected a network .*, but found `x`"),
        ({"allow_nets": "127.0.0.0/8"}, TypeError, "allow_nets: "),
        ({"from_address": "a\nb"}, ValueError, "from_address: "),
        ({"max_requests_per_site": 0}, ValueError, "_per_site: expected 1 to 64, but found 0"),
        ({"max_requests_per_site": -1}, ValueError, "_per_site: expected 1 to 64, but found -1"),
        ({"max_requests_per_site": 2**70}, ValueError, "_per_site: expected 1 to 64, but found 11"),
        ({"max_requests_per_site": 1.5}, TypeError, "max_requests_per_site: "),
        ({"max_connections_per_address": 0}, ValueError, "_address: expected 1 to 256, but found"),
        ({"max_store_bytes": -1}, ValueError, "max_store_bytes: expected 0 or more, but found -1"),
        ({"offline": "no"}, TypeError, "offline: "),
        ({"max_store_bytes": 1.5}, TypeError, "max_store_bytes: "),
        ({"dialect": "\udcff"}, ValueError, "dialect: .*surrogates not allowed"),
        ({"access_profile": "\udcff"}, ValueError, "access_profile: .*surrogates not allowed"),
        ({"proxy": "http://\udcff/"}, ValueError, "proxy: .*surrogates not allowed"),
        ({"from_address": "\udcff"}, ValueError, "from_address: .*surrogates not allowed"),
        ({"allow_nets": ["\udcff"]}, ValueError, "allow_nets: .*surrogates not allowed"),
        ({"surprise": 1}, TypeError, r"^Client\(\) got an unexpected keyword argument 'surprise'"),
        ({"allow_nets": "127.0.0.0/8"}, TypeError, "allow_nets: expected an iterable of networks"),
        (
            {"ca_files": "a.pem"},
            TypeError,
            "ca_files: expected an iterable of paths, but found str",
        ),
    ],
)
def test_errors_name_the_option(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        verger.Client(AGENT, **options)


def test_none_is_the_default(site: Site) -> None:
    nothing: Any = dict.fromkeys(verger.types.ClientOptions.__annotations__)
    with verger.Client(AGENT, **{**nothing, **LOCAL}) as client:
        assert client.check(f"{site.url}/cart").line == 2


def test_errors_of_files_have_a_number_and_a_path(tmp_path: Path) -> None:
    absent = tmp_path / "absent.pem"
    with pytest.raises(FileNotFoundError, match="ca_files") as missing:
        verger.Client(AGENT, ca_files=[absent])
    assert missing.value.errno == errno.ENOENT and missing.value.filename == str(absent)
    if os.name == "posix":
        assert str(missing.value) == f"[Errno 2] ca_files: No such file or directory: '{absent}'"
    (tmp_path / "file").write_text("no certificate")
    with pytest.raises(ValueError, match="ca_files: .*file"):
        verger.Client(AGENT, ca_files=[tmp_path / "file"])
    with pytest.raises(OSError, match="store: ") as error:
        verger.Client(AGENT, store=tmp_path / "file" / "robots.sqlite")
    assert not isinstance(error.value, FileNotFoundError)
    with pytest.raises(OSError, match="store: .*file"):
        verger.Client(AGENT, store=tmp_path / "file")


def test_the_folder_of_a_store_is_not_created(tmp_path: Path) -> None:
    absent = tmp_path / "mistyped"
    with pytest.raises(FileNotFoundError, match="store: ") as missing:
        verger.Client(AGENT, store=absent / "robots.sqlite")
    assert missing.value.filename == str(absent) and not absent.exists()


def test_certificates_are_read(tmp_path: Path) -> None:
    path = tmp_path / "authority.pem"
    path.write_text(CERTIFICATE)
    with verger.Client(AGENT, ca_files=[path], http2_for_robots=True, offline=True) as client:
        assert client.check("https://shop.example/").source == "offline"


def test_a_crawler_that_no_group_can_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="agent: expected a product token"):
        verger.Client("*", "ExampleBot/1.0")
    with pytest.raises(TypeError, match="user_agent: required, because the agent is not a str"):
        verger.Client(verger.Crawler(AGENT))
    with pytest.raises(ValueError, match="user_agent: "):
        verger.Client(AGENT, "a\nb")
