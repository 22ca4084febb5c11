"""A polite broad crawl with Scrapy, by https://docs.scrapy.org/en/latest/topics/broad-crawls.html."""

import os

import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class SuiteSpider(CrawlSpider):
    name = "suite"
    start_urls = [os.environ["CRAWL_SEED"]]
    rules = [Rule(LinkExtractor(), follow=True)]
    custom_settings = {
        "USER_AGENT": "ScrapyCard/1.0 (+https://crawler.example/about)",
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 0.25,
        "CONCURRENT_REQUESTS": 100,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
