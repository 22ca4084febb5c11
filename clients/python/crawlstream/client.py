"""The lease API (GET /v1/openapi.json of the crawl), with nothing but the standard library.

    client = LeaseClient("http://127.0.0.1:9464")
    client.add([{"url": "https://example.org/"}])
    answer = client.lease(count=4)
    for leased in answer["leases"]:
        ...  # request leased["url"] at once, with leased["userAgent"]
        client.tell([{"lease": leased["lease"], "status": 200, "urls": [{"url": ...}]}])

Several threads may use a client: each has a separate connection.
"""

import http.client
import json
import ssl
import threading
from typing import Any, Dict, List, Optional, Sequence
from urllib.parse import urlsplit


class LeaseError(Exception):
    """The crawl refused a call. `status`: the HTTP status. 503: retry in a moment."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{message} ({code}, HTTP {status})")
        self.status = status
        self.code = code


class LeaseClient:
    """`base`: address of the crawl. `token`: its CRAWLSTREAM_HTTP_TOKEN, if it has one."""

    def __init__(
        self,
        base: str,
        token: Optional[str] = None,
        lease_ms: int = 60_000,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{base!r} is not an address: give one such as http://127.0.0.1:9464")
        self._parts = parts
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        self._context = context
        self._of_thread = threading.local()
        self.lease_ms = lease_ms

    def lease(self, count: int = 16, wait_ms: int = 20_000) -> Dict[str, Any]:
        """Returns up to `count` URLs in `leases` once there is one, or none after `wait_ms`. `idle`: none is left."""
        body = {"count": count, "waitMs": wait_ms, "leaseMs": self.lease_ms}
        return self._call("POST", "/v1/leases", body, timeout=wait_ms / 1000 + 30)

    def tell(self, results: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """Reports results. Returns once the `urls` in them are durable."""
        return self._call("POST", "/v1/results", {"results": results})["results"]

    def renew(self, leases: Sequence[str]) -> List[Dict[str, Any]]:
        """Renews leases. `leaseMs` 0 in an answer: the lease has expired."""
        body = {"leases": leases, "leaseMs": self.lease_ms}
        return self._call("POST", "/v1/renewals", body)["leases"]

    def add(self, urls: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        """Adds URLs. Returns once they are durable. The crawl skips known URLs."""
        return self._call("POST", "/v1/urls", {"urls": urls})

    def status(self) -> Dict[str, Any]:
        """Returns counts: leased URLs, waiting calls and others."""
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
                # The server may close an idle connection while we write. Then a new one is tried once.
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
