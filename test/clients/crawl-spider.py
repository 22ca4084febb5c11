"""A spider over a synthetic web. Each callback leaves a line: the URL, and what its request held."""

import json
import os

import scrapy


class CrawlSpider(scrapy.Spider):
    name = "crawl"

    async def start(self):
        for url in json.loads(os.environ["SEEDS"]):
            yield scrapy.Request(url, self.parse_seed, meta={"seed": ("é", b"\xff")}, cookies={"a": "b"}, priority=2)

    def parse_seed(self, response):
        assert response.meta["seed"] == ("é", b"\xff"), response.meta
        assert response.request.cookies == {"a": "b"}
        return self.told(response, "seed")

    def parse_page(self, response, parent):
        return self.told(response, parent)

    def told(self, response, parent):
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse_page, cb_kwargs={"parent": response.url}, meta=response.meta)
        # The callback of a page is over with its last request.
        with open(os.environ["CALLED"], "a") as lines:
            lines.write(json.dumps([response.url, parent, response.meta["depth"]]) + "\n")
