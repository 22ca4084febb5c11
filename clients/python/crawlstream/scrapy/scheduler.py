"""Scrapy's scheduler on leases of Crawlstream's frontier.

A scheduled request is durable in the frontier, with its callback, meta, cookies and priority. A leased one may be
requested at once. A page counts as done when its callback is over and its items are through the pipelines. Requests
from the callback are durable before that. A killed process loses nothing: unfinished pages are leased again when their
leases expire.
"""

import json
import logging
import os
import time
import uuid

from scrapy import Request
from scrapy.utils.request import fingerprint
from twisted.internet import task

from crawlstream.client import LeaseClient
from crawlstream.scrapy import marks
from crawlstream.scrapy.lease_broker import LeaseBroker
from crawlstream.scrapy.serialize import NotSerializable, request_from_plain, request_to_plain

logger = logging.getLogger(__name__)

# Interval of checks for requests that Scrapy has finished, in seconds. Each request for a new one checks, too.
LOOK_S = 0.2
# Query parameter that gives requests with a body separate URLs.
KEY_PARAMETER = "crawlstream-request"
URLS_PER_RESULT = 2_000


class Scheduler:
    def __init__(self, crawler):
        settings = crawler.settings
        self._crawler = crawler
        self._stats = crawler.stats
        self._quiet_s = settings.getfloat("CRAWLSTREAM_IDLE_SECONDS", 60)
        self._timeout_s = settings.getfloat("DOWNLOAD_TIMEOUT", 180)
        token = settings.get("CRAWLSTREAM_TOKEN") or os.environ.get("CRAWLSTREAM_HTTP_TOKEN")
        client = LeaseClient(
            settings.get("CRAWLSTREAM_URL") or "http://127.0.0.1:9464",
            token=token,
            lease_ms=int(settings.getfloat("CRAWLSTREAM_LEASE_SECONDS", 60) * 1000),
        )
        self._broker = LeaseBroker(client, settings.getint("CONCURRENT_REQUESTS", 16), self._wake)
        # Leases that Scrapy works on, by token.
        self._held = {}
        # Requests that cannot be stored, such as those with a lambda: they last as long as this process.
        self._local = {}
        self._run = uuid.uuid4().hex
        self._look = task.LoopingCall(self._finish_done)
        self._spider = None
        crawler.crawlstream = self

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    # --- called by the engine

    def open(self, spider):
        self._spider = spider
        self._broker.start()
        self._look.start(LOOK_S, now=False)

    def close(self, reason):
        if self._look.running:
            self._look.stop()
        self._finish_done()
        for held in list(self._held.values()):
            self._finish(held)
        self._broker.close()

    def has_pending_requests(self):
        self._finish_done()
        return bool(self._held) or not self._broker.is_done(self._quiet_s)

    def enqueue_request(self, request):
        meta = request.meta
        if meta.get(marks.RETRIED):
            return True  # The frontier has the request.
        leased = meta.get(marks.LEASED)
        source = self._held.get(leased["lease"] if leased else meta.get(marks.FOUND_BY))
        added = self._added(request, is_redirect=leased is not None)
        self._stats.inc_value("crawlstream/added")
        if source is None or len(source["urls"]) >= URLS_PER_RESULT:
            self._broker.add(added)
        else:
            source["urls"].append(added)
        return True

    def next_request(self):
        self._finish_done()
        while True:
            leased = self._broker.next()
            if leased is None:
                return None
            request = self._request_of(leased)
            if request is None:
                self._broker.report({"lease": leased["lease"], "failure": "refused", "detail": "no callback for it"})
                continue
            self._held[leased["lease"]] = {
                "leased": leased,
                "request": request,
                "result": None,
                "urls": [],
                "started": None,
                "ended": None,
            }
            self._stats.inc_value("crawlstream/leased")
            return request

    # --- called by the downloader middleware

    def is_lost(self, leased):
        return self._broker.is_lost(leased["lease"])

    def began(self, leased):
        held = self._held.get(leased["lease"])
        if held is not None:
            held["started"] = time.monotonic()

    def ended(self, leased, result):
        held = self._held.get(leased["lease"])
        if held is not None:
            held["result"] = result
            held["ended"] = time.monotonic()
        self._broker.responded(leased["lease"])

    # --- a request on its way to the frontier, and back

    def _added(self, request, is_redirect):
        meta = request.meta
        url, is_keyed = request.url, False
        if request.method != "GET" or request.body:
            # The frontier knows only URLs, so a request with a body gets a separate URL.
            url = f"{url}{'&' if '?' in url else '?'}{KEY_PARAMETER}={fingerprint(request).hex()[:24]}"
            is_keyed = True
        try:
            payload = {"scrapy": request_to_plain(request, self._spider, marks.ALL), "keyed": is_keyed}
        except NotSerializable as error:
            logger.warning("%s cannot be kept beyond this process (%s)", request, error)
            self._stats.inc_value("crawlstream/local")
            number = len(self._local)
            self._local[number] = request
            payload = {"local": [self._run, number], "keyed": is_keyed}
        added = {"url": url, "payload": json.dumps(payload, separators=(",", ":"), ensure_ascii=False)}
        depth = meta.get("depth")
        if isinstance(depth, int) and depth >= 0:
            added["depth"] = depth
        if request.priority != 0 and not is_redirect:
            # Scrapy: higher first, 0 is usual. Front queues: 0 first, of 8.
            added["priority"] = max(0, min(7, 4 - request.priority))
        if is_redirect:
            added["front"] = True
            added["hop"] = min(100, meta[marks.LEASED]["hop"] + 1)
        elif request.dont_filter and marks.FOUND_BY in meta:
            # Start requests have no lease: each run repeats them, so they are not forced.
            added["force"] = True
        return added

    def _request_of(self, leased):
        request = self._read(leased)
        if request is None:
            return None
        request.meta[marks.LEASED] = leased
        patience_s = min(self._timeout_s, max(1.0, leased["renewableMs"] / 1000 - 5))
        request.meta["download_timeout"] = min(patience_s, request.meta.get("download_timeout", patience_s))
        return request

    def _read(self, leased):
        """Returns the request of a lease. None: the spider has no callback for it."""
        url = leased["url"]
        try:
            payload = json.loads(leased["payload"]) if leased["payload"] else {}
            if not isinstance(payload, dict):
                payload = {}
            if "scrapy" in payload:
                request = request_from_plain(payload["scrapy"], self._spider)
            elif payload.get("local", [None])[0] == self._run:
                request = self._local.pop(payload["local"][1]).copy()
                for name in marks.ALL:
                    request.meta.pop(name, None)
            elif payload.get("keyed"):
                logger.error("what was asked for with %s was not kept when its process died", url)
                return None
            else:
                # Others found the URL, such as the crawl's fetchers: use the default callback and their depth.
                request = Request(url, meta={"depth": leased["depth"]})
        except (ValueError, TypeError, KeyError) as error:
            logger.error("%s: %s", url, error)
            return None
        if payload.get("keyed") or request.url == url:
            return request
        # The URL is the frontier's form, or the target of a redirect that the frontier counts as the same page.
        return request.replace(url=url)

    # --- requests that Scrapy has finished

    def _finish_done(self):
        if not self._held:
            return
        slot = getattr(self._crawler.engine, "_slot", None) or getattr(self._crawler.engine, "slot", None)
        if slot is None:
            return
        under_way = slot.inprogress
        for held in [one for one in self._held.values() if one["request"] not in under_way]:
            self._finish(held)

    def _finish(self, held):
        token = held["leased"]["lease"]
        del self._held[token]
        result = held["result"]
        if result is None:
            result = {"failure": "returned", "detail": "Scrapy stopped before it was asked for"}
        times = {"started": held["started"], "ended": held["ended"]}
        self._broker.report({"lease": token, **result, "urls": held["urls"], **times})
        self._stats.inc_value("crawlstream/told")

    def _wake(self):
        """Called in a thread of the broker."""
        from twisted.internet import reactor

        reactor.callFromThread(self._schedule)

    def _schedule(self):
        slot = getattr(self._crawler.engine, "_slot", None) or getattr(self._crawler.engine, "slot", None)
        if slot is not None:
            slot.nextcall.schedule()
