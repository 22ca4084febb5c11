// colly as a visitor of `crawlstream judge`: follows every link of the web, with colly's own settings or polite ones.
//
//	go mod init visit && go get github.com/gocolly/colly/v2     # in a folder of its own
//	go run colly_visit.go default|polite PROXY SEED ...
package main

import (
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"
)

func main() {
	mode, proxy, seeds := os.Args[1], os.Args[2], os.Args[3:]
	c := colly.NewCollector(colly.Async(true))
	if err := c.SetProxy(proxy); err != nil {
		panic(err)
	}
	var mutex sync.Mutex
	ruled := map[string]bool{}
	// A limit rule holds for all hosts that match it together, so a delay for each host takes a rule for each.
	limit := func(host string) {
		mutex.Lock()
		defer mutex.Unlock()
		if mode == "polite" && !ruled[host] {
			ruled[host] = true
			_ = c.Limit(&colly.LimitRule{DomainGlob: host, Parallelism: 1, Delay: 250 * time.Millisecond})
		}
	}
	c.IgnoreRobotsTxt = mode != "polite"
	visit := func(link string) {
		target, err := url.Parse(link)
		if err != nil || !strings.HasSuffix(target.Hostname(), ".test") {
			return
		}
		limit(target.Host)
		_ = c.Visit(link)
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { visit(e.Request.AbsoluteURL(e.Attr("href"))) })
	for _, seed := range seeds {
		visit(seed)
	}
	c.Wait()
}
