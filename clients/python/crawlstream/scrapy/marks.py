"""Names that this package uses in the meta of requests. They are not stored with a request."""

# In a leased request: the lease, as the crawl sent it.
LEASED = "crawlstream_lease"
# In a request that a callback made: the lease of its page.
FOUND_BY = "crawlstream_found_by"
# In a request that the frontier retries: the scheduler drops it.
RETRIED = "crawlstream_retried"

ALL = (LEASED, FOUND_BY, RETRIED)
