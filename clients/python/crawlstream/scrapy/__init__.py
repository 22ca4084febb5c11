"""Scrapy on Crawlstream's frontier: `ADDONS = {"crawlstream.scrapy.Addon": 500}` in a project's settings.

The crawl keeps delays, obeys robots.txt, remembers known URLs, and survives a kill. Scrapy downloads and parses.
"""

from crawlstream.scrapy.addon import Addon
from crawlstream.scrapy.downloader_middleware import DownloaderMiddleware
from crawlstream.scrapy.scheduler import Scheduler
from crawlstream.scrapy.spider_middleware import SpiderMiddleware

__all__ = ["Addon", "DownloaderMiddleware", "Scheduler", "SpiderMiddleware"]
