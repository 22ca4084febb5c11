"""Marks each request with the lease of its page, so that the request is durable before the page counts as done."""

from crawlstream.scrapy import marks


class SpiderMiddleware:
    def process_spider_output(self, response, result, spider=None):
        for one in result:
            yield _marked(response, one)

    async def process_spider_output_async(self, response, result, spider=None):
        async for one in result:
            yield _marked(response, one)


def _marked(response, one):
    meta = getattr(one, "meta", None)
    if not hasattr(one, "callback") or not isinstance(meta, dict):
        return one
    leased = response.meta.get(marks.LEASED) if response.request is not None else None
    # Callbacks often pass on their whole meta.
    for name in marks.ALL:
        meta.pop(name, None)
    if leased is not None:
        meta[marks.FOUND_BY] = leased["lease"]
    return one
