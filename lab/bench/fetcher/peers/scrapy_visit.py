"""Scrapy as a visitor of `crawlstream judge`: follows every link of the web, with Scrapy's own settings or polite ones.

    pip install scrapy        # in an environment of its own
    http_proxy=http://127.0.0.1:8900 python scrapy_visit.py default|polite SEED ...
"""
import sys

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

polite = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 0.25,
    "RANDOMIZE_DOWNLOAD_DELAY": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "CONCURRENT_REQUESTS": 200,
}


class Visit(CrawlSpider):
    name = "visit"
    start_urls = sys.argv[2:]
    # Hosts have ports here, which allow_domains does not expect.
    rules = [Rule(LinkExtractor(allow=r"^https?://[^/]*\.test[:/]"), follow=True)]


process = CrawlerProcess({"LOG_LEVEL": "ERROR", **(polite if sys.argv[1] == "polite" else {})})
process.crawl(Visit)
process.start()
