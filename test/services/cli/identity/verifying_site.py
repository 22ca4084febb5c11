"""A site that verifies each request by http-message-signatures (PyPI), and tells what it makes of it, a line of JSON each.

Usage: verifying_site.py DIRECTORY_FILE
The first line of output is the port. A nonce that was seen before is a replay.
"""

import base64
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import http_sf
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms

with open(sys.argv[1], encoding="utf8") as file:
    KEYS = {key["kid"]: key["x"] for key in json.load(file)["keys"]}
SEEN = set()


class DirectoryKeys(HTTPSignatureKeyResolver):
    def resolve_public_key(self, key_id):
        x = KEYS[key_id]
        return Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(x + "=" * (-len(x) % 4)))


VERIFIER = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=DirectoryKeys())


def verdict(method, url, headers):
    try:
        message = SimpleNamespace(method=method, url=url, headers=headers)
        (result,) = VERIFIER.verify(message, expect_tag="web-bot-auth")
        nonce = result.parameters["nonce"]
        if nonce in SEEN:
            return "replayed"
        SEEN.add(nonce)
        return "verified"
    except Exception as error:  # whatever the library makes of it
        return f"{type(error).__name__}: {error}"


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        headers = dict(self.headers.items())
        said = verdict("GET", f"http://{self.headers['host']}{self.path}", headers)
        print(json.dumps({"path": self.path, "verdict": said, "headers": headers}), flush=True)
        if self.path == "/robots.txt":
            body, status = b"", 404
        else:
            body, status = b'<a href="/a?b=c%20d">a</a><a href="/caf%C3%A9">b</a>', 200
        self.send_response(status)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


assert http_sf  # the library's parser of structured fields
SERVER = ThreadingHTTPServer(("127.0.0.1", 0), Site)
print(SERVER.server_address[1], flush=True)
SERVER.serve_forever()
