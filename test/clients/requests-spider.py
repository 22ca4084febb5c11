"""A spider with requests of every kind. Each callback and errback leaves a line."""

import json
import os

import scrapy


class RequestsSpider(scrapy.Spider):
    name = "requests"

    async def start(self):
        yield scrapy.Request(os.environ["SITE"], self.parse_site)

    def parse_site(self, response):
        for query in ("one", "two", "one"):
            yield scrapy.FormRequest(response.urljoin("/form"), self.parse_form, formdata={"q": query})
        yield response.follow("/broken", self.never, errback=self.failed)
        yield response.follow("/missing", self.never, errback=self.failed)
        yield response.follow("/wanted", self.parse_wanted, meta={"handle_httpstatus_list": [503]})
        yield response.follow("/twice", self.parse_twice)
        yield response.follow("/lambda", lambda found: self.told("lambda", found.status))
        yield response.follow("/headers", self.parse_headers, headers={"X-Own": "ü"}, cookies={"c": "d"})
        yield response.follow("/here", self.parse_there, cb_kwargs={"by": {1: (2, 3)}})

    def parse_form(self, response):
        return self.told("form", response.text)

    def parse_wanted(self, response):
        return self.told("wanted", response.status)

    def parse_twice(self, response):
        yield from self.told("twice", response.text)
        if not response.meta.get("again"):
            yield response.request.replace(dont_filter=True, meta={"again": True})

    def parse_headers(self, response):
        return self.told("headers", response.json())

    def parse_there(self, response, by):
        return self.told("there", [response.url.rpartition("/")[2], by == {1: (2, 3)}])

    def failed(self, failure):
        response = getattr(failure.value, "response", None)
        return self.told("failed", [failure.request.url.rpartition("/")[2], getattr(response, "status", None)])

    def never(self, response):
        return self.told("never", response.url)

    def told(self, what, value):
        with open(os.environ["CALLED"], "a") as lines:
            lines.write(json.dumps([what, value]) + "\n")
        yield {"what": what}
