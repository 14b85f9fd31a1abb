"""Verifies signatures of http-message-signatures with `verger identify`, and ours with it.

Usage: signatures.py VERGER SIGN, where SIGN is the example `sign`.
"""

import base64
import datetime
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from http_message_signatures import (
    HTTPMessageSigner,
    HTTPMessageVerifier,
    HTTPSignatureKeyResolver,
    InvalidSignature,
    algorithms,
)

AGENT = "https://signature-agent.test"
COVERED = ("@authority", "@method", "@path", '"signature-agent";key="sig1"')


@dataclass
class Message:
    method: str
    url: str
    headers: dict = field(default_factory=dict)


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Keys(HTTPSignatureKeyResolver):
    def __init__(self, jwk):
        self.jwk = jwk

    def resolve_private_key(self, key_id):
        return Ed25519PrivateKey.from_private_bytes(decoded(self.jwk["d"]))

    def resolve_public_key(self, key_id):
        assert key_id == self.jwk["kid"]
        return Ed25519PublicKey.from_public_bytes(decoded(self.jwk["x"]))


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def identified(verger, keys, head):
    found = run(verger, "identify", "--headers", "-", "--key-set", f"{AGENT}={keys}",
                "--offline", "--format", "json", input=head)
    signature = json.loads(found.stdout)["signature"]
    return signature["status"], signature.get("reason")


def main(verger, sign):
    with tempfile.TemporaryDirectory() as folder:
        secret, keys = os.path.join(folder, "key.json"), os.path.join(folder, "keys.json")
        assert run(verger, "identity", "key", secret).returncode == 0
        with open(keys, "w", encoding="utf-8") as file:
            file.write(run(verger, "identity", "directory", secret).stdout)
        with open(secret, encoding="utf-8") as file:
            jwk = json.load(file)
        # Theirs by ours.
        now = datetime.datetime.now(datetime.timezone.utc)
        message = Message("GET", "https://shop.example/a?b=c", {"Host": "shop.example"})
        message.headers["Signature-Agent"] = f'sig1="{AGENT}"'
        signer = HTTPMessageSigner(signature_algorithm=algorithms.ED25519, key_resolver=Keys(jwk))
        signer.sign(message, key_id=jwk["kid"], created=now, expires=now + datetime.timedelta(minutes=5),
                    nonce="abc", label="sig1", tag="web-bot-auth", covered_component_ids=COVERED)
        fields = "".join(f"{name}: {value}\n" for name, value in message.headers.items())
        theirs = identified(verger, keys, f"GET /a?b=c HTTP/1.1\n{fields}")
        moved = identified(verger, keys, f"GET /other HTTP/1.1\n{fields}")
        assert theirs == ("verified", None), theirs
        assert moved == ("failed", "wrong_signature"), moved
        # Ours by theirs.
        head = run(sign, secret, AGENT, "shop.example", "/a?b=c").stdout
        lines = [line.split(": ", 1) for line in head.splitlines()[1:]]
        verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=Keys(jwk))
        for url, is_valid in (("https://shop.example/a?b=c", True), ("https://shop.example/x", False)):
            try:
                found = verifier.verify(Message("GET", url, dict(lines)))
                assert is_valid and found[0].parameters["tag"] == "web-bot-auth", url
            except InvalidSignature:
                assert not is_valid, url
        assert identified(verger, keys, head) == ("verified", None)
    print("signatures of both are verified by both")


if __name__ == "__main__":
    main(*sys.argv[1:])
