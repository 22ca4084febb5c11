"""Titles of a site, by Scrapy on Crawlstream's frontier. Kill it, or the crawl, and start it again: it goes on.

    crawlstream crawl --clients only --http 127.0.0.1:9464 --data crawl-data/titles --contact me@example.org
    pip install scrapy ./clients/python
    scrapy runspider scrapy-titles.py -a site=https://example.org/ -o titles.jsonl
"""

import os

import scrapy


class TitlesSpider(scrapy.Spider):
    name = "titles"
    custom_settings = {
        # The frontier schedules, paces, retries and asks robots.txt; Scrapy downloads and parses.
        "ADDONS": {"crawlstream.scrapy.Addon": 500},
        "CRAWLSTREAM_URL": os.environ.get("CRAWLSTREAM_URL", "http://127.0.0.1:9464"),
    }

    async def start(self):
        yield scrapy.Request(self.site)

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}
        yield from response.follow_all(css="a::attr(href)")
