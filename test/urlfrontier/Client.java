// An independent client: URLFrontier's own Java stubs, driven through every call they have. Two parts, so that the server
// may be killed in between: `Client HOST PORT before` and `Client HOST PORT after`. Exits with 1 at the first answer that
// is not as the API says, and names it. Version 2.5 of the stubs has neither PutDiscovered nor PurgeURLs.

import crawlercommons.urlfrontier.CrawlID;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.*;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

public class Client {
    static URLFrontierGrpc.URLFrontierBlockingStub blocking;
    static URLFrontierGrpc.URLFrontierStub async;

    public static void main(String[] args) throws Exception {
        ManagedChannel channel =
                ManagedChannelBuilder.forAddress(args[0], Integer.parseInt(args[1])).usePlaintext().build();
        blocking = URLFrontierGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
        async = URLFrontierGrpc.newStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
        if (args[2].equals("before")) before();
        else after();
        channel.shutdown();
        System.out.println(args[2] + ": all as the API says");
    }

    static void before() throws Exception {
        same("nodes", 1, blocking.listNodes(Empty.getDefaultInstance()).getValuesCount());
        same("crawls at first", 0, blocking.listCrawls(Local.getDefaultInstance()).getValuesCount());

        StringList colours = StringList.newBuilder().addValues("red").addValues("blåu").build();
        URLInfo info = info("http://key1.com/").toBuilder().setKey("key1.com").putMetadata("colours", colours).build();
        List<AckMessage> acks = put(found(info, "first"), found(info, ""), found(info("not a url"), "junk"));
        same("acks", "first OK, http://key1.com/ SKIPPED, junk SKIPPED", text(acks));
        QueueList queues = blocking.listQueues(Pagination.getDefaultInstance());
        same("queues", List.of("key1.com"), queues.getValuesList());
        same("queues' crawl", CrawlID.DEFAULT, queues.getCrawlID());

        // One URL, out for two seconds.
        GetParams one =
                GetParams.newBuilder().setKey("key1.com").setMaxUrlsPerQueue(1).setDelayRequestable(2)
                        .setCrawlID(CrawlID.DEFAULT).build();
        URLInfo given = blocking.getURLs(one).next();
        same("URL given", "http://key1.com/", given.getUrl());
        same("its metadata", Map.of("colours", colours), given.getMetadataMap());
        same("in process", 1, stats("key1.com", "").getInProcess());
        same("given twice", false, blocking.getURLs(one).hasNext());
        Thread.sleep(2_000);
        same("in process after its time", 0, stats("key1.com", "").getInProcess());
        same("URLs deleted", 1L, blocking.deleteQueue(queue("key1.com", "")).getValue());
        same("queues after deletion", 0L, stats("key1.com", "").getNumberOfQueues());

        // Known URLs: never again, and the sooner date first.
        put(known(info("http://key2.com/never"), 0));
        GetParams two = GetParams.newBuilder().setMaxUrlsPerQueue(5).setCrawlID(CrawlID.DEFAULT).build();
        same("done URLs given", false, blocking.getURLs(two).hasNext());
        long now = Instant.now().getEpochSecond();
        put(known(info("http://key2.com/later"), now - 10), known(info("http://key2.com/sooner"), now - 10_000));
        Iterator<URLInfo> both = blocking.getURLs(two);
        same("the sooner", "http://key2.com/sooner", both.next().getUrl());
        same("the later", "http://key2.com/later", both.next().getUrl());
        put(known(info("http://key2.com/never"), 0), known(info("http://key2.com/later"), 0));
        same("counted once", 2L, stats("", "").getCountsMap().get("completed"));
        same("not done", 1L, stats("", "").getSize());

        URLStatusRequest.Builder status = URLStatusRequest.newBuilder().setUrl("http://key2.com/never");
        URLItem item = blocking.getURLStatus(status.build());
        same("status is of a known item", true, item.hasKnown());
        same("never", 0L, item.getKnown().getRefetchableFromDate());
        try {
            blocking.getURLStatus(status.setUrl("http://key2.com/unknown").build());
            same("status of an unknown URL", "NOT_FOUND", "an answer");
        } catch (StatusRuntimeException error) {
            same("status of an unknown URL", Status.Code.NOT_FOUND, error.getStatus().getCode());
        }
        ListUrlParams list = ListUrlParams.newBuilder().setKey("key2.com").setFilter("LATER").setIgnoreCase(true).build();
        same("listed", "http://key2.com/later", blocking.listURLs(list).next().getKnown().getInfo().getUrl());
        same("counted", 3L, blocking.countURLs(CountUrlParams.newBuilder().setKey("key2.com").build()).getValue());

        // Crawls.
        put(found(info("http://a.net/").toBuilder().setCrawlID("BESPOKE").build(), ""));
        same("crawls", 2, blocking.listCrawls(Local.getDefaultInstance()).getValuesCount());
        same("another crawl's URLs", 1L, stats("", "BESPOKE").getSize());
        GetParams any = GetParams.newBuilder().setAnyCrawlID(AnyCrawlID.getDefaultInstance()).build();
        same("of any crawl", "BESPOKE", blocking.getURLs(any).next().getCrawlID());
        same("crawl deleted", 1L, blocking.deleteCrawl(DeleteCrawlMessage.newBuilder().setValue("BESPOKE").build()).getValue());
        same("a deleted crawl's URLs", 0L, stats("", "BESPOKE").getSize());

        // What is set, for the other part to find.
        blocking.setLogLevel(LogLevelParams.newBuilder().setPackage("ROOT").setLevel(LogLevelParams.Level.WARN).build());
        blocking.setDelay(QueueDelayParams.newBuilder().setKey("").setDelayRequestable(0).build());
        blocking.setDelay(QueueDelayParams.newBuilder().setKey("slow.com").setDelayRequestable(3_600).build());
        blocking.blockQueueUntil(BlockQueueParams.newBuilder().setKey("blocked.com").setTime(now + 3_600).build());
        blocking.setCrawlLimit(CrawlLimitParams.newBuilder().setKey("limited.com").setLimit(1).build());
        put(known(info("http://limited.com/done"), 0));
        List<URLItem> many = new ArrayList<>();
        for (int n = 0; n < 5_000; n++) many.add(found(info("http://many-" + n % 50 + ".com/" + n), ""));
        for (String host : List.of("slow.com", "blocked.com", "limited.com"))
            many.add(found(info("http://" + host + "/1"), ""));
        same("OK", true, put(many.toArray(new URLItem[0])).stream().allMatch(ack -> ack.getStatus() == AckMessage.Status.OK));
        blocking.setActive(Active.newBuilder().setState(false).build());
        same("active", false, blocking.getActive(Local.getDefaultInstance()).getState());
        same("given while inactive", false, blocking.getURLs(two).hasNext());
    }

    /** The server was killed, and is another one now. */
    static void after() throws Exception {
        same("active", false, blocking.getActive(Local.getDefaultInstance()).getState());
        blocking.setActive(Active.newBuilder().setState(true).build());
        Stats stats = stats("", "");
        same("nothing acked is lost", 5_004L, stats.getSize());
        same("done", 3L, stats.getCountsMap().get("completed"));
        List<URLItem> done = new ArrayList<>();
        int given = 0;
        for (int round = 0; round < 100; round++) {
            GetParams params = GetParams.newBuilder().setMaxUrlsPerQueue(60).setCrawlID(CrawlID.DEFAULT).build();
            Iterator<URLInfo> infos = blocking.getURLs(params);
            if (!infos.hasNext()) break;
            while (infos.hasNext()) {
                URLInfo info = infos.next();
                same("neither blocked nor limited", false, info.getKey().matches("blocked.com|limited.com"));
                given++;
                done.add(known(info, 0));
            }
            put(done.toArray(new URLItem[0]));
            done.clear();
        }
        // slow.com gives its one; what is out of the first part comes back within its 30 s, or has.
        same("given", true, given == 5_001 || given == 5_002);
        put(found(info("http://slow.com/2"), ""));
        GetParams slow = GetParams.newBuilder().setKey("slow.com").setCrawlID(CrawlID.DEFAULT).build();
        same("slow", false, blocking.getURLs(slow).hasNext());
    }

    static List<AckMessage> put(URLItem... items) throws Exception {
        List<AckMessage> acks = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(1);
        StreamObserver<URLItem> stream =
                async.putURLs(
                        new StreamObserver<AckMessage>() {
                            public void onNext(AckMessage ack) {
                                acks.add(ack);
                            }

                            public void onError(Throwable error) {
                                error.printStackTrace();
                                ended.countDown();
                            }

                            public void onCompleted() {
                                ended.countDown();
                            }
                        });
        for (URLItem item : items) stream.onNext(item);
        stream.onCompleted();
        same("puts end", true, ended.await(50, TimeUnit.SECONDS));
        same("acks", items.length, acks.size());
        return acks;
    }

    static URLInfo info(String url) {
        return URLInfo.newBuilder().setUrl(url).build();
    }

    static URLItem found(URLInfo info, String id) {
        return URLItem.newBuilder().setDiscovered(DiscoveredURLItem.newBuilder().setInfo(info)).setID(id).build();
    }

    static URLItem known(URLInfo info, long date) {
        KnownURLItem item = KnownURLItem.newBuilder().setInfo(info).setRefetchableFromDate(date).build();
        return URLItem.newBuilder().setKnown(item).build();
    }

    static QueueWithinCrawlParams queue(String key, String crawl) {
        return QueueWithinCrawlParams.newBuilder().setKey(key).setCrawlID(crawl).build();
    }

    static Stats stats(String key, String crawl) {
        return blocking.getStats(queue(key, crawl));
    }

    static String text(List<AckMessage> acks) {
        return String.join(", ", acks.stream().map(ack -> ack.getID() + " " + ack.getStatus()).toList());
    }

    static void same(String what, Object wanted, Object given) {
        if (wanted.equals(given)) return;
        System.out.println(what + ": " + given + ", not " + wanted);
        System.exit(1);
    }
}
