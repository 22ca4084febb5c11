"""What is noted in the meta of a request, in one place. None of it is kept with the request."""

# Of a request that was leased: what the crawl gave.
LEASED = "crawlstream_lease"
# Of a request that a callback made: the lease of the page it came from.
FOUND_BY = "crawlstream_found_by"
# Of a request that the frontier retries: it is to go nowhere.
RETRIED = "crawlstream_retried"

ALL = (LEASED, FOUND_BY, RETRIED)
