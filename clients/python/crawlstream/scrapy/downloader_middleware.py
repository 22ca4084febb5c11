"""Notes the result of each leased request. Its place in DOWNLOADER_MIDDLEWARES must be next to the downloader."""

import time

from scrapy.exceptions import IgnoreRequest
from twisted.internet import error as net
from twisted.web.client import ResponseFailed

from crawlstream.scrapy import marks

# Statuses that the frontier retries, after a pause that applies to all clients.
RETRIABLE = frozenset({408, 425, 429})
REPORTED_HEADERS = (
    "Retry-After",
    "ETag",
    "Last-Modified",
    "Location",
    "Content-Type",
    "X-Robots-Tag",
    "Content-Usage",
)


class DownloaderMiddleware:
    def __init__(self, crawler):
        self._crawler = crawler
        self._retries = crawler.settings.getint("CRAWLSTREAM_RETRIES", 3)
        self._own_agent = crawler.settings.getbool("CRAWLSTREAM_OWN_USER_AGENT", False)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def process_request(self, request, spider=None):
        leased = request.meta.get(marks.LEASED)
        if leased is None:
            return None
        scheduler = self._crawler.crawlstream
        if scheduler.is_lost(leased):
            raise IgnoreRequest("its lease was over before it began: it is leased again")
        if not self._own_agent and leased["userAgent"]:
            # The crawl has read robots.txt for this name.
            request.headers["User-Agent"] = leased["userAgent"]
        for name, header in (("etag", "If-None-Match"), ("lastModified", "If-Modified-Since")):
            if leased[name]:
                request.headers.setdefault(header, leased[name])
        scheduler.began(leased)
        return None

    def process_response(self, request, response, spider=None):
        leased = request.meta.get(marks.LEASED)
        if leased is None:
            return response
        headers = {}
        for name in REPORTED_HEADERS:
            value = response.headers.get(name)
            if value is not None:
                headers[name] = value.decode("latin-1")[:8192]
        result = {"status": response.status, "headers": headers, "bytes": len(response.body)}
        is_wanted = _is_wanted(request, response.status, self._crawler)
        if is_wanted:
            result["final"] = True
        self._crawler.crawlstream.ended(leased, result)
        is_retriable = response.status >= 500 or response.status in RETRIABLE
        if is_retriable and not is_wanted and leased["attempt"] < self._retries:
            return _retried(request)
        return response

    def process_exception(self, request, exception, spider=None):
        leased = request.meta.get(marks.LEASED)
        if leased is None:
            return None
        scheduler = self._crawler.crawlstream
        if isinstance(exception, IgnoreRequest):
            # A middleware ignores the request. It would ignore it again after another lease.
            scheduler.ended(leased, {"failure": "refused", "detail": f"{exception}"[:1000]})
            return None
        result = {"failure": failure_of(exception), "detail": f"{exception}"[:1000]}
        scheduler.ended(leased, result)
        return _retried(request) if leased["attempt"] < self._retries else None


def _retried(request):
    """Returns a copy, which the scheduler drops. The frontier leases the URL again; no callback runs until then."""
    again = request.replace(dont_filter=True)
    again.meta[marks.RETRIED] = True
    return again


def _is_wanted(request, status, crawler):
    """True if the spider accepts a response with this status."""
    meta = request.meta
    if meta.get("handle_httpstatus_all") or meta.get("dont_retry"):
        return True
    wanted = set(meta.get("handle_httpstatus_list") or ())
    wanted.update(getattr(crawler.spider, "handle_httpstatus_list", None) or ())
    wanted.update(crawler.settings.getlist("HTTPERROR_ALLOWED_CODES"))
    return status in {int(one) for one in wanted}


def failure_of(exception):
    """Returns the failure's name in the lease API."""
    if isinstance(exception, ResponseFailed) and exception.reasons:
        return failure_of(exception.reasons[0].value)
    name = type(exception).__name__
    if isinstance(exception, net.DNSLookupError) or "Resolve" in name:
        return "dnsFailed"
    if isinstance(exception, (net.TimeoutError, net.TCPTimedOutError, TimeoutError)) or "Timeout" in name:
        return "timeout"
    if "SSL" in name or "TLS" in name or "Certificate" in name:
        return "tlsFailed"
    if "DataLoss" in name or "ParseError" in name:
        return "badResponse"
    if "Cancelled" in name:
        return "tooLarge"
    return "connectionFailed"
