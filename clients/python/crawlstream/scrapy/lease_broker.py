"""Calls the crawl in separate threads, so that Scrapy's reactor never waits for it.

One thread leases, one reports results and adds URLs in their order, one renews. Nothing is stored here: if the process
dies, its URLs are leased again when their leases expire. Added URLs are durable once the call has been answered.
"""

import logging
import threading
import time
from collections import deque

from crawlstream.client import LeaseClient, LeaseError

logger = logging.getLogger(__name__)

# Most URLs in one call: some hundred kilobytes.
BATCH = 500
# Most bytes of payloads in one call; a crawl accepts 16 MiB.
BATCH_BYTES = 4 << 20
# Most URLs that wait to be sent; beyond it, `add` blocks.
UNSENT_MAX = 20_000
PAUSE_S = 0.5
WAIT_MS = 10_000


class LeaseBroker:
    """`wake` is called, in a thread, when there may be a new URL to request."""

    def __init__(self, client: LeaseClient, concurrency, wake):
        self._client = client
        self._concurrency = concurrency
        self._wake = wake
        self._changed = threading.Condition()
        self._ready = deque()
        # Leases without a sent result, by token, and how many of them wait for a response.
        self._out = {}
        self._fetching = 0
        self._unsent = deque()
        self._sending = False
        # Grows with each added URL and each result: earlier knowledge of the crawl is then outdated.
        self._news = 0
        self._idle = False
        self._knows_idle = True
        self._last_lease = time.monotonic()
        self._stopping = False
        self._threads = [
            threading.Thread(target=self._lease_all, name="crawlstream-lease", daemon=True),
            threading.Thread(target=self._send_all, name="crawlstream-send", daemon=True),
            threading.Thread(target=self._renew_all, name="crawlstream-renew", daemon=True),
        ]

    def start(self):
        for thread in self._threads:
            thread.start()

    def next(self):
        """Returns a leased URL to request now. None: there is none at the moment."""
        with self._changed:
            while self._ready:
                leased = self._ready.popleft()
                if self._out.get(leased["lease"], {}).get("lost") is False:
                    return leased
                self._fetching -= 1
                self._out.pop(leased["lease"], None)
            return None

    def is_lost(self, token):
        """True if the lease has expired, so that another client may have the URL."""
        with self._changed:
            out = self._out.get(token)
            return out is None or out["lost"]

    def responded(self, token):
        """The download of a lease is over: there is room for another one."""
        with self._changed:
            out = self._out.get(token)
            if out is not None and not out["responded"]:
                out["responded"] = True
                self._fetching -= 1
                self._changed.notify_all()

    def report(self, result):
        with self._changed:
            self._news += 1
            self._idle = False
            self._unsent.append(("result", result))
            self._changed.notify_all()

    def add(self, url):
        with self._changed:
            while len(self._unsent) >= UNSENT_MAX and not self._stopping:
                self._changed.wait(1)
            self._news += 1
            self._idle = False
            self._unsent.append(("url", url))
            self._changed.notify_all()

    def has_room(self):
        with self._changed:
            return len(self._unsent) < UNSENT_MAX

    def is_done(self, quiet_s):
        """True if nothing is left here and in the crawl. If the crawl does not know: if no URL came for `quiet_s`."""
        with self._changed:
            if self._out or self._ready or self._unsent or self._sending:
                return False
            if self._knows_idle:
                return self._idle
            return time.monotonic() - self._last_lease > quiet_s

    def close(self, patience_s=10):
        """Returns leases that were not begun, and sends the remaining results."""
        with self._changed:
            self._stopping = True
            for leased in self._ready:
                self._unsent.append(("result", {"lease": leased["lease"], "failure": "returned"}))
            self._ready.clear()
            self._changed.notify_all()
        self._threads[1].join(patience_s)

    # --- in threads

    def _lease_all(self):
        while not self._stopping:
            with self._changed:
                room = self._concurrency - self._fetching
                if room <= 0:
                    self._changed.wait(1)
                    continue
                news = self._news
                is_sent = not self._unsent and not self._sending
            answer = self._call(self._client.lease, min(room, 256), WAIT_MS)
            if answer is None:
                continue
            with self._changed:
                for leased in answer["leases"]:
                    self._out[leased["lease"]] = {"lost": False, "responded": False}
                    self._fetching += 1
                    self._ready.append(leased)
                if answer["leases"]:
                    self._last_lease = time.monotonic()
                self._knows_idle = answer["idle"] is not None
                self._idle = answer["idle"] is True and is_sent and news == self._news
            if answer["leases"] or answer["idle"] is not False:
                self._wake()
        self._client.close()

    def _send_all(self):
        while True:
            with self._changed:
                while not self._unsent and not self._stopping:
                    self._changed.wait(1)
                if not self._unsent:
                    break
                kind, batch = self._batch()
                self._sending = True
            if kind == "url":
                self._add_all(batch)
            else:
                self._report_all(batch)
            with self._changed:
                self._sending = False
                self._news += 1
                if kind == "result":
                    for result in batch:
                        out = self._out.pop(result["lease"], None)
                        if out is not None and not out["responded"]:
                            self._fetching -= 1
                self._changed.notify_all()
            self._wake()
        self._client.close()

    def _add_all(self, urls):
        """Adds URLs. A refused call is repeated in halves, so that one URL does not affect the others."""
        try:
            self._warn(self._sent(lambda: self._client.add(urls)))
        except LeaseError as error:
            if len(urls) == 1:
                logger.error("crawlstream does not take %s: %s", urls[0].get("url", "")[:200], error)
            else:
                self._add_all(urls[: len(urls) // 2])
                self._add_all(urls[len(urls) // 2 :])

    def _report_all(self, results):
        """The same for results. A result that the crawl refuses is reported as a bad response."""
        try:
            answers = self._sent(lambda: self._client.tell([_timed(result) for result in results])) or []
        except LeaseError as error:
            if len(results) > 1:
                self._report_all(results[: len(results) // 2])
                self._report_all(results[len(results) // 2 :])
            elif results[0].get("failure") != "badResponse":
                self._report_all([_bad(results[0], f"{error}")])
            else:
                logger.error("crawlstream refuses a call: %s", error)
            return
        for one in answers:
            self._warn(one)
        bad = [_bad(result, one.get("why", "")) for result, one in zip(results, answers) if one["state"] == "invalid"]
        if bad:
            self._report_all(bad)

    def _sent(self, call):
        """Returns the answer of a call; None: it was given up at the end. Raises LeaseError if the crawl refuses it."""
        refusal = []

        def kept():
            try:
                return call()
            except LeaseError as error:
                if error.status >= 500:
                    raise
                refusal.append(error)
                return None

        answer = self._call(kept, until_sent=True)
        if refusal:
            raise refusal[0]
        return answer

    def _batch(self):
        """Takes the oldest unsent items of one kind."""
        kind, first = self._unsent.popleft()
        batch, size = [first], _bytes_of(first)
        while self._unsent and self._unsent[0][0] == kind and len(batch) < BATCH and size < BATCH_BYTES:
            batch.append(self._unsent.popleft()[1])
            size += _bytes_of(batch[-1])
        return kind, batch

    def _renew_all(self):
        while not self._stopping:
            with self._changed:
                self._changed.wait_for(lambda: self._stopping, self._client.lease_ms / 3000)
                tokens = [token for token, out in self._out.items() if not out["lost"]]
            for at in range(0, len(tokens), BATCH):
                renewed = self._call(self._client.renew, tokens[at : at + BATCH]) or []
                with self._changed:
                    for one in renewed:
                        if one["leaseMs"] == 0 and one["lease"] in self._out:
                            self._out[one["lease"]]["lost"] = True
        self._client.close()

    def _call(self, call, *arguments, until_sent=False):
        """Returns the answer of a call. None: the crawl cannot be reached now, or refuses the call."""
        said = False
        while True:
            try:
                return call(*arguments)
            except LeaseError as error:
                if error.status < 500:
                    logger.error("crawlstream refuses a call: %s", error)
                    time.sleep(PAUSE_S)
                    return None
                problem = error
            except Exception as error:  # noqa: BLE001: any failure of a socket
                problem = error
            if not said and not self._stopping:
                logger.warning("crawlstream cannot be reached, trying again: %s", problem)
                said = True
            if not until_sent or self._stopping:
                time.sleep(PAUSE_S)
                return None
            time.sleep(PAUSE_S)

    @staticmethod
    def _warn(answer):
        for refused in (answer or {}).get("refused", []):
            logger.warning("crawlstream does not take %s: %s", refused["url"], refused["why"])


def _bad(result, why):
    logger.warning("crawlstream does not take a result: %s", why)
    kept = {name: result[name] for name in ("lease", "started", "ended") if name in result}
    return {**kept, "failure": "badResponse", "detail": f"the crawl does not take its answer: {why}"[:1000]}


def _timed(result):
    """Returns a result with its times as the API has them: how long ago, in ms."""
    now = time.monotonic()
    timed = {name: value for name, value in result.items() if name not in ("started", "ended")}
    for name in ("started", "ended"):
        if result.get(name) is not None:
            timed[f"{name}MsAgo"] = int((now - result[name]) * 1000)
    return timed


def _bytes_of(one):
    return len(one.get("payload", "")) + sum(len(url.get("payload", "")) + 100 for url in one.get("urls", ())) + 200
