"""Client of Crawlstream's lease API: `crawlstream crawl --clients only --http HOST:PORT`."""

from crawlstream.client import LeaseClient, LeaseError

__all__ = ["LeaseClient", "LeaseError"]
