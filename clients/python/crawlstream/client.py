"""The lease API (GET /v1/openapi.json of the crawl), with nothing but the standard library.

    client = LeaseClient("http://127.0.0.1:9464")
    client.add([{"url": "https://example.org/"}])
    answer = client.lease(count=4)
    for leased in answer["leases"]:
        ...  # request leased["url"] at once, with leased["userAgent"]
        client.tell([{"lease": leased["lease"], "status": 200, "urls": [{"url": ...}]}])

A client may be used by several threads: each has a connection of its own.
"""

import http.client
import json
import ssl
import threading
from typing import Any, Dict, List, Optional, Sequence
from urllib.parse import urlsplit


class LeaseError(Exception):
    """The crawl refused a call. `status` is HTTP's; 503: ask again in a moment."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{message} ({code}, HTTP {status})")
        self.status = status
        self.code = code


class LeaseClient:
    """`base`: where the crawl listens. `token`: its CRAWLSTREAM_HTTP_TOKEN, where it has one."""

    def __init__(
        self,
        base: str,
        token: Optional[str] = None,
        lease_ms: int = 60_000,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{base!r} is no address: give one such as http://127.0.0.1:9464")
        self._parts = parts
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        self._context = context
        self._of_thread = threading.local()
        self.lease_ms = lease_ms

    def lease(self, count: int = 16, wait_ms: int = 20_000) -> Dict[str, Any]:
        """`leases`: up to `count` URLs, as soon as there is one, or none after `wait_ms`. `idle`: nothing is left."""
        body = {"count": count, "waitMs": wait_ms, "leaseMs": self.lease_ms}
        return self._call("POST", "/v1/leases", body, timeout=wait_ms / 1000 + 30)

    def tell(self, results: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """What became of URLs; returns once the `urls` that came along are durable."""
        return self._call("POST", "/v1/results", {"results": results})["results"]

    def renew(self, leases: Sequence[str]) -> List[Dict[str, Any]]:
        """More time; `leaseMs` 0: it is not ours any more."""
        body = {"leases": leases, "leaseMs": self.lease_ms}
        return self._call("POST", "/v1/renewals", body)["leases"]

    def add(self, urls: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        """Returns once they are durable. Known ones are left out by the crawl."""
        return self._call("POST", "/v1/urls", {"urls": urls})

    def status(self) -> Dict[str, Any]:
        """How many are out, and waited for."""
        return self._call("GET", "/v1/leases", None)

    def close(self) -> None:
        """Closes the connection of this thread."""
        connection = getattr(self._of_thread, "connection", None)
        if connection is not None:
            connection.close()
            self._of_thread.connection = None

    def _call(self, method: str, path: str, body: Optional[Dict[str, Any]], timeout: float = 60) -> Any:
        data = None if body is None else json.dumps(body).encode()
        for is_last in (False, True):
            is_new = getattr(self._of_thread, "connection", None) is None
            connection = self._connection(timeout)
            try:
                connection.request(method, path, body=data, headers=self._headers)
                response = connection.getresponse()
                text = response.read()
                break
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # An idle connection may be closed as we write: a new one is tried once.
                self.close()
                if is_new or is_last:
                    raise
            except Exception:
                self.close()
                raise
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"error": "NOT_JSON", "message": text[:200].decode(errors="replace")}
        if 200 <= response.status < 300:
            return answer
        raise LeaseError(response.status, answer.get("error", ""), answer.get("message", ""))

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        connection = getattr(self._of_thread, "connection", None)
        if connection is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=self._context)
            else:
                connection = http.client.HTTPConnection(host, port, timeout=timeout)
            self._of_thread.connection = connection
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection
