/** Every bound of the project, each with its reason. Units are in the names. */

/** Bounds on URLs and links. */
export const urlLimits = {
  /** Longer URLs are refused: servers and proxies cut at about this length, and traps grow beyond it. */
  urlCharsMax: 2048,
  /** Redirect hops before a chain is given up: RFC 9110 §15.4 leaves it open, browsers stop at 20, crawlers at 5–10. */
  redirectHopsMax: 10,
} as const;

/** Bounds on one request and its response. */
export const requestLimits = {
  /** Name lookup and connection: a host that takes longer is as good as down. */
  connectTimeoutMs: 10_000,
  /** Request sent to headers complete, however they drip. */
  headersTimeoutMs: 15_000,
  /** Longest silence inside a body. */
  bodyIdleTimeoutMs: 10_000,
  /** Start to completion; also how long before its deadline a lease starts its last request. */
  totalTimeoutMs: 30_000,
  /** Header and trailer bytes: large policies and cookies fit, a flood does not. */
  headerBytesMax: 64 * 1024,
  /** Body bytes kept, on the wire and again after decompression: text beyond it is a dump, not a page (99 % have less than 1 MB). */
  bodyBytesMax: 2 * 1024 * 1024,
  /** The most that an operator may let a body have. */
  bodyBytesMost: 64 * 1024 * 1024,
  /** Of a body's memory, what comes without asking: nine pages in ten need no more. */
  bodyFreeBytes: 256 * 1024,
  /** Memory that bodies under way may take together which grew beyond that: each all that it may come to. */
  bodiesBytesMax: 256 * 1024 * 1024,
  /** Content codings on one response: one is usual, two happen, more are an attack. */
  codingLayersMax: 2,
  /** RFC 9659 §3: senders of zstd must not ask for a larger window. */
  zstdWindowBytesMax: 8 * 1024 * 1024,
  /** Bytes of an unwanted body that are read off so that the connection lives; beyond, closing is cheaper. */
  drainBytesMax: 64 * 1024,
  /** Origins with a connection kept open: file descriptors are finite, and most hosts come back later than servers wait. */
  clientsMax: 1_000,
  /** Idle connections are closed after this: longer than a polite delay, shorter than most servers' patience. */
  keepAliveMs: 10_000,
  /** Addresses of one name that are kept: enough to fail over, whatever a zone holds. */
  addressesMax: 8,
  /** Names in the DNS cache, about 150 B each. */
  dnsEntriesMax: 100_000,
  /** Shortest and longest time an answer is believed: zones with TTL 0 would cost a lookup per connection. */
  dnsTtlMinMs: 60_000,
  dnsTtlMaxMs: 3_600_000,
  /** How long a failed lookup is believed: RFC 2308 allows five minutes, retries should notice a repair. */
  dnsNegativeTtlMs: 30_000,
} as const;

/** Bounds on a fetcher's work. */
export const fetcherLimits = {
  /** Leases run at once: most of them wait out a delay, so many more than requests. */
  leasesMax: 1_000,
  /** Requests in flight: what one core can parse, with room for slow hosts. */
  requestsMax: 256,
  /** The adaptive delay (factor × last duration) grows no further: slow pages must not park a host for minutes. */
  adaptiveDelayMaxMs: 30_000,
  /** Lease ids remembered per partition, to take each once: far more than a reader can see twice. */
  leaseIdsMax: 65_536,
  /** robots.txt copies kept, and their bytes together: most have 1–5 kB, hostile ones 500 KiB. */
  robotsEntriesMax: 20_000,
  robotsEntriesBytesMax: 64 * 1024 * 1024,
  /** While an old copy stands in, the host is asked again after this. */
  robotsStaleRecheckMs: 600_000,
  /** Processor time of one response that counts as ordinary: some ten times a page's. */
  ordinaryCostMs: 1.5,
  /** What a malformed response costs beside its bytes, ms: measured on a flood of headers. */
  brokenCostMs: 9,
  /** A host that took more than its share of the processor waits no longer than this. */
  processorWaitMaxMs: 30_000,
  /** Sitemaps read per lease, after its pages: they take the host's time, a few of them at once bring work for hours. */
  sitemapsPerLeaseMax: 8,
  /** A sitemap that fails is asked for so often, each time with another lease. */
  sitemapTriesMax: 3,
  /** Sitemaps of one host that are read: with 50,000 entries each, more than a host is crawled for in years. */
  sitemapsPerHostMax: 2_000,
  /** Sitemaps remembered over all hosts, about 200 B each. */
  sitemapsKnownMax: 100_000,
  /** A lease whose robots.txt moved to another host waits this long for the answer: an idle host is leased in less. */
  robotsHopWaitMs: 1_000,
  /** Then it asks anew for it: longer than most leases of the other host. */
  robotsHopAgainMs: 120_000,
  /** What another host answered for a moved robots.txt is believed so long, where it is no robots.txt itself. */
  robotsMovedMs: 3_600_000,
  /** And takes it for unreachable: the other host is blocked, or closed for hours. */
  robotsHopPatienceMs: 600_000,
  /** Longest a finished page waits to be published. */
  flushMs: 25,
  /** Pages and links gathered before a flush starts early. */
  flushBytes: 1024 * 1024,
  /** Gathered and not yet acked: beyond it leases wait, so that a slow log bounds memory. */
  publishBytesMax: 32 * 1024 * 1024,
  /** Link groups of one partition share a message up to about this: per-message cost dominates below, brokers refuse above 1 MB. */
  discoveredBytes: 256 * 1024,
  /** Outcomes wait at most this long for their lease to end: what a kill loses of them is fetched again. */
  resultsMs: 200,
  /** Entries of the link cache: 9 B each. */
  linkCacheEntries: 262_144,
  /** Bodies up to this are parsed on the main thread: about 5 ms, below the cost of moving them. */
  inlineParseBytes: 256 * 1024,
  /** Where there is no second core, larger ones are cut at this: ten times what 2 MB of ordinary markup take. */
  inlineParseMs: 50,
  /** A PDF of some hundred pages takes a second or two; so does loading its reader, on a machine that is busy more. */
  pdfTimeoutMs: 10_000,
  pdfLoadMs: 10_000,
  /** A worker that parses one page for longer is killed. */
  parseTimeoutMs: 3_000,
  /** Name and value bytes of a page's text in one record: search needs no more, and brokers refuse messages above 1 MB. */
  textCharsMax: 100_000,
} as const;

/** Bounds on reading robots.txt. */
export const robotsLimits = {
  /** RFC 9309 §2.5: at least 500 KiB must be read; what comes after is ignored. */
  bodyBytesMax: 500 * 1024,
  /** RFC 9309 §2.3.1.2: at least five redirects are followed. */
  redirectsMax: 5,
  /** RFC 9309 §2.4: no longer than 24 hours without asking again. */
  cacheMsMax: 24 * 3_600_000,
  /** RFC 9309 §2.3.1.4: after about 30 days an old copy says nothing any more. */
  staleMsMax: 30 * 86_400_000,
  /** A larger Crawl-delay is read as this one: beyond any crawl's patience, and still safe to compute with. */
  crawlDelayMsMax: 30 * 86_400_000,
  /** Sitemaps of one host: ten times what large sites name. */
  sitemapsMax: 1_000,
} as const;

/** Bounds on decisions about responses. */
export const responseLimits = {
  /** Longest Retry-After that is believed, seconds: six hours, as curl's. A host that asks for more is asked again then. */
  retryAfterSecondsMax: 21_600,
} as const;

/** Bounds on reading pages, sitemaps and feeds. */
export const parseLimits = {
  /** Characters tokenised between two looks at the deadline: about 0.3 ms. */
  sliceChars: 64 * 1024,
  /** Distinct hrefs remembered per link wanted: many spell the same URL, and the rest need only be counted. */
  hrefsPerLink: 4,
  /** Longest href that is looked at: above the URL limit by room for `../` and entities. */
  hrefCharsMax: 8_192,
  /** Text of one page at most: twice what is published of it by default. */
  textCharsMax: 200_000,
  /** Title and description are cut here: search shows less, and some pages put their whole text into one. */
  titleCharsMax: 1_000,
  descriptionCharsMax: 2_000,
  /** Entries of one sitemap: the protocol allows 50,000. */
  sitemapEntriesMax: 50_000,
  /** Bytes of one sitemap, decompressed: the protocol allows 50 MiB. */
  sitemapBytesMax: 50 * 1024 * 1024,
  /** Indexes above a sitemap: the protocol allows one, some sites need two, more are a maze. */
  sitemapNestingMax: 2,
  /** A JSON Feed is read whole, 10 ms a megabyte: as long as a page may be. */
  jsonFeedCharsMax: 2 * 1024 * 1024,
  /** A feed of so many entries is known entry by entry; of a longer one, only whether it is the same list. */
  entryMarksMax: 64,
} as const;

/** Bounds of the state stores on disk. */
export const storeLimits = {
  /** Table files held open: each holds its index and filter in memory, about 1 MB per 64 MB file. */
  openFilesMax: 500,
  /** Bytes of rows one native call of a scan brings over: amortises the call, and little is wasted when a scan stops early. */
  scanChunkBytes: 256 * 1024,
  /** Larger batches go the way that frees its native memory at once; the other way waits for the garbage collector. */
  chainedBatchBytesMax: 256 * 1024,
  /** Opens beside a busy writer: one in ten meets the writer's flush, so twenty in a row don't happen. */
  readOnlyOpenAttemptsMax: 20,
  /** A copy that a reader of a LevelDB folder left behind is removed after this; making one takes well under a second. */
  readerCopyStaleMs: 60_000,
} as const;

/** Bounds of the embedded log. */
export const logLimits = {
  /** One record's value: eight times the largest body kept, and far below what one RocksDB batch holds. */
  recordBytesMax: 16 * 1024 * 1024,
  /** Keys and headers live in the row's key, their lengths in 16 bits. */
  keyBytesMax: 65_000,
  headerBytesMax: 65_000,
  /** Appends gathered into one synced write: large enough that the sync (3 ms) is small change, small enough to stay quick. */
  groupBytesMax: 4 * 1024 * 1024,
  /** Records of a new stretch of about this many bytes lie together on disk, away from older ones: one memtable's worth. */
  segmentBytes: 64 * 1024 * 1024,
  /** Recent records kept in memory for readers that keep up: seconds of a full-speed crawl. */
  tailBytes: 64 * 1024 * 1024,
  /** Rows deleted per write while trimming: a slice must not hold up appends. */
  trimRowsPerWrite: 2_000,
  /** Partition numbers have 16 bits in a row's key. */
  partitionsMax: 65_535,
  /** How often a read-only log beside a writer looks for news while a reader waits. */
  refreshMs: 500,
} as const;

/** Bounds of the Avro codec. */
export const avroLimits = {
  /** Items of no width that an array of a foreign schema may claim; any other item needs at least a byte of input. */
  emptyItemsMax: 10_000,
  /** Schemas of other records remembered, so that junk does not ask the registry each time. */
  unknownIdsMax: 1_000,
  /** A schema that nobody knows is asked for again after this: a registry that comes back is noticed at once. */
  unknownAgainMs: 1_000,
} as const;

/** Bounds inside the frontier. */
export const frontierLimits = {
  /** Commits between checks of the state: a check costs 20 µs, so one in sixteen adds about 1 µs to a commit. */
  checkEvery: 16,
  /** A commit takes no more input beyond this; with what one input may still add it stays below 512 KiB (DESIGN §4.1). */
  commitBytesSoft: 256 * 1024,
  /** Links a step looks ahead at for the seen test: about 8 ms. */
  askLinksPerStep: 16_384,
  /** Budget keys a step looks at where deferred URLs may come back: about a millisecond. */
  budgetKeysPerStep: 256,
  /** Leases expire this long after their deadline: what two machines' clocks may differ by under NTP, with room. */
  clockSkewMs: 5_000,
  /** Leases of a single URL that expire before it counts as poison: one may be a fetcher's own crash. */
  expiriesMax: 3,
  /** However small a partition's queue is to be, a host's share holds a lease's worth. */
  queueShareLeast: 64,
  /** URLs of dead hosts given up on per step, so that no step pauses the partition. */
  burialsPerStep: 256,
  /** Queued URLs that are read and scored again for each that may have grown: 0.7 µs each. */
  growthUrlsEach: 32,
  /** Of one step: about 3 ms. */
  growthUrlsPerStep: 4_096,
  /** Holes that URLs which went to better bands leave in a host's queue: its row in the view holds them. */
  growthRaisesMax: 2_048,
  /** Hosts of which it is kept in mind that something queued has grown: 1.6 MB. */
  growingHostsMax: 16_384,
  /** One batch of the view: some milliseconds of work, and small enough for the cheaper way of writing it. */
  viewSliceBytes: 224 * 1024,
  /** Memory for queued URLs that are on disk as well, per partition: about a million of the newest. */
  queueMemoryBytes: 64 * 1024 * 1024,
  /** URLs of a host's queue that a question about one looks at: about 10 ms, for which the partition waits. */
  queryUrlsMax: 20_000,
  /** URLs of one page of a host's queue, or hosts of a list. */
  queryPageMax: 1_000,
  /** Hosts that a list looks at between two steps: about 4 ms. */
  hostsPerLook: 16_384,
  /** How long an unreachable host counts as dead: the life of a robots.txt verdict, RFC 9309 §2.4. */
  deadHostMs: 24 * 3_600_000,
  /** A lease outlives twice what it should take by this: the request timeout (30 s), and a hop each way. */
  leaseMarginMs: 45_000,
  /** Hops of other hosts' robots.txt that wait for a host, at most 12 KiB each: more are wished for again later. */
  robotsHopsMax: 64,
  /** URLs on the first lease of a host: how quick it is, and what its robots.txt asks, is not known yet. */
  firstLeaseUrls: 8,
} as const;

/** Bounds of the pull API (topology/frontier/pull). */
export const pullLimits = {
  /** A get adds to a commit up to here, so that puts that fill commits don't keep it waiting (DESIGN §4.1: 512 KiB). */
  commitBytesForGets: 384 * 1024,
  /** URLs a queue gives at once: they are in memory until their client tells of them. */
  urlsPerLeaseMax: 10_000,
  /** URLs looked for on disk before a step: a few milliseconds. */
  placesPerRead: 512,
  /** A URL that a client puts: the longest that browsers and servers agree on. */
  urlCharsMax: 8_192,
  /** A queue's name, in UTF-8. */
  keyBytesMax: 1_024,
  /** Metadata of one URL: ten times what a crawler keeps of a page. */
  metadataBytesMax: 64 * 1024,
  /** One message: a batch of some thousand URLs; what gRPC's own servers take. */
  messageBytesMax: 4 * 1024 * 1024,
  /** A client may send so much ahead: a commit's worth. */
  streamWindowBytes: 1024 * 1024,
  /** URLs of one stream that are not acked yet; then its client waits. */
  putsUnderWay: 8_192,
  /** Queues asked for at once: their URLs are in memory until the client has taken them. */
  queuesPerGet: 1_024,
  /** Crawl ids of one server: each is a frontier of its own, some MB of memory. */
  crawlsMax: 1_000,
  /** How soon a process hears of crawl ids that another was the first to be told. */
  crawlsRefreshMs: 2_000,
  /** Rows of a queue read between two steps, and URLs listed from memory: a millisecond. */
  listRowsPerLook: 8,
  listUrlsPerLook: 1_024,
  /** Appends gather this long for one sync: a client waits for it, and a sync costs 0.15 ms of CPU. */
  groupIntervalMs: 2,
  /** What a stream or a get is given to end when the server does. */
  closeMs: 2_000,
} as const;

/** Defaults of the seen test (topology/frontier/seen). */
export const seenLimits = {
  /** Of one partition: 5 M URLs in memory, then 2 bytes for each. What a process may use is divided by the partitions. */
  memoryBytes: 256 * 1024 * 1024,
  /** A cache beyond this no longer fits the processor's own. */
  cacheBytesMax: 8 * 1024 * 1024,
  /** Bloom only: ten million URLs, one page in a hundred missed when they are known. */
  bloomUrls: 10_000_000,
  bloomErrors: 0.01,
} as const;

/** Bounds of the frontier's service around the core. */
export const frontierServiceLimits = {
  /** Bytes of input read at once: a few commits' worth. */
  pollBytes: 1 << 20,
  /** An idle partition looks around this often. */
  idleMs: 250,
  /** Commits decided ahead of the acks: hides a sync or a round trip, bounds what a takeover throws away. */
  commitsUnderWay: 4,
  /** Pause before a partition that was lost is opened again, doubled each time up to a group's session timeout. */
  reopenMs: 250,
  reopenMsMax: 10_000,
  /** The view is written this often, or after so much changelog: it bounds what a restart replays, to about a second. */
  saveEveryMs: 5_000,
  saveEveryBytes: 32 << 20,
  /** Changelog replayed in one go while a partition is restored: about 10 ms, for which other partitions wait. */
  restoreSliceBytes: 256 << 10,
  /** A restore writes its view this often: each time, every host that has changed costs two rows, so seldom is cheap. */
  restoreSaveBytes: 64 << 20,
  /** A restore tells how far it is this often; shorter ones don't. */
  restoreTellMs: 1_000,
  /** A standby without news looks around this often, and sees how far behind it is: two small requests each. */
  standbyWaitMs: 500,
  standbyLookMs: 1_000,
  /** A copy no further behind than this many records takes over in well under a second. */
  caughtUpRecords: 256,
  /** A copy that is lost at the same point again is begun anew after ever longer pauses: snapshots come this often. */
  standbyAgainMsMax: 300_000,
} as const;

/** Defaults of the policy (topology/policy/policy.ts); each may be set otherwise. */
export const policyLimits = {
  /** 5, 30, 300 s: a hiccup, a restart, an outage. */
  retriesMs: [5_000, 30_000, 300_000],
  /** One request a second is what hosts put up with unasked. */
  delayMs: 1_000,
  /** As in Mercator: a tenth of a host's time at most is ours, whatever its size. */
  delayFactor: 10,
  /** One slow page must not park a host for minutes. */
  delayFactorCapMs: 30_000,
  /** A host that asks for more is not crawled in this run: at 30 s, 3,000 pages take a day. */
  crawlDelayCapMs: 30_000,
  /** Leases live about this long: a killed fetcher delays its hosts by no more. */
  leadTimeMs: 30_000,
  /** A lease with validators stays far below a message of 1 MB: 64 × (2 KiB of URL and 1 KiB of validators). */
  urlsPerLeaseMax: 64,
  /** A partition with so many URLs queued has work for weeks at one a second and 10 hosts; beyond it, reading waits. */
  queuedMax: 10_000_000,
  /** A million URLs of one domain are work for eleven days at one a second; ten such domains are no accident. */
  queueShareMax: 0.1,
} as const;

/** Defaults of the `crawl` command. */
export const crawlLimits = {
  /** Hosts fetched from at once: most of them wait out a delay, which costs a timer and about 2 kB each. */
  leasesMax: 1_000,
  /** Between starts on one address: many small hosts share one machine, which feels them all. */
  addressDelayMs: 100,
  /** Appends gather this long for one sync: a sync costs about 0.15 ms of CPU, a page waits for a few of them. */
  groupIntervalMs: 2,
  /** Retries of one URL, and the longest wait before one: thirty days, beyond any crawl's patience. */
  retriesMax: 20,
  retrySecondsMax: 30 * 86_400,
  /** The longest --delay: one request a day. */
  delayMsMax: 86_400_000,
  /** Partitions of a crawl: each costs its owner a RocksDB, some MB of memory and a few dozen files. */
  partitionsMax: 1_024,
  /** Warm copies of each partition: each takes its owner's memory and disk once more. */
  standbysMax: 8,
  /** The most hosts fetched from at once: about 2 kB each, and no more sockets than a process may have. */
  concurrencyMax: 100_000,
  /** Memory for known URLs: 20 M in it, and then 2 bytes for each up to some 200 M. Taken as it is needed. */
  seenMemoryMb: 1_024,
  seenMemoryMbMin: 16,
  seenMemoryMbMax: 1 << 20,
  /** Seeds that one request carries, of many: some megabytes in the mailbox of a data folder, a dozen appends to brokers. */
  seedsPerRequest: 50_000,
  /** Links published per page: indexes of large manuals have some 20,000. */
  linksPerPage: 50_000,
  linksPerPageMax: 1_000_000,
} as const;

/** The HTTP side of a service: probes, metrics, questions; a handful of callers. */
export const httpLimits = {
  /** A request's body: a list of some ten thousand URLs. */
  bodyBytesMax: 1 << 20,
  /** A request that is not whole by then is cut off: slow clients hold no sockets. */
  requestMs: 10_000,
  /** Longer than Prometheus's usual 15 s between scrapes, so that it keeps its connection. */
  keepAliveMs: 65_000,
  /** Requests under way have this long to end when a service stops. */
  closeMs: 2_000,
  /** Shorter tokens can be guessed. */
  tokenCharsMin: 16,
  /** Another member that was asked has this long: a look takes milliseconds, and then a standby is asked. */
  passOnMs: 2_000,
  /** The same for a list of hosts, which looks at all of them: 10 million in slices take seconds. */
  listMs: 20_000,
  /** Partitions that a list asks at once: enough to hide round trips, and no member is flooded. */
  listsAtOnce: 8,
  /** What was told of a group's members is believed this long. */
  membersMs: 1_000,
} as const;
