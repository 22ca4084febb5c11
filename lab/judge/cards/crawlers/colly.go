// A polite crawl with colly, by https://go-colly.org/docs/examples/rate_limit/.
package main

import (
	"os"
	"time"

	"github.com/gocolly/colly/v2"
)

func main() {
	c := colly.NewCollector(colly.Async(true), colly.UserAgent("CollyCard/1.0 (+https://crawler.example/about)"))
	c.IgnoreRobotsTxt = false
	if err := c.SetProxy(os.Getenv("CRAWL_PROXY")); err != nil {
		panic(err)
	}
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 1, Delay: 250 * time.Millisecond}); err != nil {
		panic(err)
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		_ = e.Request.Visit(e.Attr("href"))
	})
	_ = c.Visit(os.Getenv("CRAWL_SEED"))
	c.Wait()
}
