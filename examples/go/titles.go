// Prints the title of each page of a crawl on Kafka, and the pages that are taken back.
//
//	go run . BROKERS REGISTRY CRAWL
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/hamba/avro/v2"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
)

// Fields of the record that are not named here are skipped.
type page struct {
	URL   string `avro:"url"`
	Title string `avro:"title"`
}

func main() {
	brokers, registry, crawl := os.Args[1], os.Args[2], os.Args[3]
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	schemas, err := sr.NewClient(sr.URLs(registry))
	check(err)
	consumer, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(brokers, ",")...),
		kgo.ConsumerGroup(crawl+".go-titles"),
		kgo.ConsumeTopics(crawl+".pages"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
		kgo.BlockRebalanceOnPoll(),
	)
	check(err)
	defer consumer.CloseAllowingRebalance()
	known := map[int]avro.Schema{}
	for {
		fetches := consumer.PollFetches(ctx)
		if ctx.Err() != nil {
			return
		}
		check(fetches.Err())
		fetches.EachRecord(func(record *kgo.Record) {
			if record.Value == nil {
				fmt.Println("taken back:", string(record.Key))
				return
			}
			// The record was written by the schema that its first five bytes name.
			id, body, err := new(sr.ConfluentHeader).DecodeID(record.Value)
			check(err)
			if known[id] == nil {
				written, err := schemas.SchemaByID(ctx, id)
				check(err)
				known[id] = avro.MustParse(written.Schema)
			}
			var read page
			check(avro.Unmarshal(known[id], body, &read))
			fmt.Println(record.Partition, record.Offset, read.URL, read.Title)
		})
		// Only now: after a crash a page is printed twice, and none is missed.
		check(consumer.CommitUncommittedOffsets(ctx))
		consumer.AllowRebalance()
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
