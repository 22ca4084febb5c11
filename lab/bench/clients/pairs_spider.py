"""Follows every link of a synthetic web. SEEDS: a JSON list."""

import json
import os

import scrapy


class PairsSpider(scrapy.Spider):
    name = "pairs"

    async def start(self):
        for url in json.loads(os.environ["SEEDS"]):
            yield scrapy.Request(url)

    def parse(self, response):
        yield from response.follow_all(css="a::attr(href)")
