"""Sets the settings that a project needs, and turns off parts of Scrapy that the frontier replaces."""

from scrapy.utils.misc import load_object

# These override the project: each part would repeat, for one client, what the leases do for all clients together.
FORCED = {
    "SCHEDULER": "crawlstream.scrapy.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "DOWNLOAD_DELAY": 0,
    "RANDOMIZE_DOWNLOAD_DELAY": False,
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "RETRY_ENABLED": False,
}


class Addon:
    def update_settings(self, settings):
        for name, value in FORCED.items():
            settings.set(name, value, priority="cmdline")
        put(settings, "DOWNLOADER_MIDDLEWARES", "crawlstream.scrapy.DownloaderMiddleware", 995)
        put(settings, "SPIDER_MIDDLEWARES", "crawlstream.scrapy.SpiderMiddleware", 10)


def put(settings, name, path, order):
    """Adds a middleware, unless the project has done so."""
    given = settings[name]
    if not any(key == path or load_object(key) is load_object(path) for key in given):
        given[path] = order
