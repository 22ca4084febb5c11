"""A spider in a crawl that others share: what they found comes to `parse`, too. Each callback leaves a line, the URL."""

import json
import os

import scrapy


class SharedSpider(scrapy.Spider):
    name = "shared"

    async def start(self):
        for url in json.loads(os.environ["SEEDS"]):
            yield scrapy.Request(url)

    def parse(self, response):
        if isinstance(response, scrapy.http.TextResponse):
            for href in response.css("a::attr(href)").getall():
                try:
                    yield response.follow(href)
                except ValueError:
                    pass  # It is no URL.
        with open(os.environ["CALLED"], "a") as lines:
            lines.write(json.dumps([response.url, "", 0]) + "\n")
