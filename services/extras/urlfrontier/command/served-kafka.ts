/** The crawls of a served namespace on Kafka: this process is a member of each crawl's group, and passes on the rest. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { pullLimits } from '../../../../topology/frontier/pull/pull-limits.ts';
import { createApplication } from '../../../application/application.ts';
import { advertised } from '../../../hosting/connect/advertised.ts';
import { type ClusterWatch, watchCluster } from '../../../hosting/connect/cluster-watch.ts';
import { fingerprintKeyOf, servedStateFolder } from '../../../hosting/connect/crawl-folder.ts';
import { type KafkaConnection, withKafka } from '../../../hosting/connect/kafka-connection.ts';
import { ownFolder } from '../../../hosting/connect/own-folder.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { type SeenFlags, seenConfigOf } from '../../../hosting/options/seen.ts';
import { printRestore } from '../../../hosting/progress/restore-text.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { GrpcListen } from '../../../runtime/grpc/grpc-server.ts';
import { addressText } from '../../../runtime/http/listen-address.ts';
import { say, sayOf } from '../../../runtime/logging/say.ts';
import { createListFiles } from '../../../runtime/policy/list-files.ts';
import { openStateStore } from '../../../runtime/store/open-store.ts';
import { type CrawlBook, openCrawlBook, type RunningCrawl } from '../crawl-book.ts';
import { createGroupPeers, type GroupPeers } from '../group-peers.ts';
import { connectPeer } from '../grpc-peer.ts';
import { urlfrontierService } from '../server.ts';
import { idStoreOptions } from './id-store.ts';

export interface ServedKafka {
  readonly flags: KafkaFlags & SeenFlags;
  readonly clock: Clock;
  readonly listen: GrpcListen;
  onFailure(error: unknown): void;
}

export async function withServedKafka(
  served: ServedKafka,
  act: (book: CrawlBook, peers: GroupPeers, cluster: ClusterWatch) => Promise<void>,
): Promise<void> {
  const { flags, clock, listen, onFailure } = served;
  if (listen.port === 0) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--port 0: on Kafka, other servers call this one, so it needs a fixed port: give one, as in --port 7071',
    );
  }
  const address = advertised(addressText(listen), process.env);
  const serve = async (connection: KafkaConnection) => {
    connection.codec.waits.onWait = ({ message, code }) =>
      say(`${message}; retrying until it is available`, 'warn', { component: 'brokers', code });
    const { log, codec, manifest } = connection;
    const folder = await ownFolder(flags, manifest);
    const openStore = (number: number, partition: number) =>
      openStateStore(servedStateFolder(folder, number, partition), idStoreOptions(number));
    const forget = (number: number) =>
      rm(dirname(servedStateFolder(folder, number, 0)), { recursive: true, force: true });
    const lists = createListFiles(folder.part('lists'));
    const book = await openCrawlBook({
      log,
      codec,
      clock,
      manifest,
      start: (crawl, number) =>
        joinCrawl({ ...served, ...connection, crawl, number, address, lists, openStore, forget }),
    });
    // Servers trust each other by the certificate that all of them have, or its authorities.
    const { token, tls } = listen;
    const connect = (to: string) => connectPeer(to, { service: urlfrontierService, token, tls });
    const peers = createGroupPeers({ log, clock, crawls: book, address, firstCrawl: manifest.crawl, connect });
    const stop = new AbortController();
    const refreshed = refreshRegularly(book, clock, stop.signal);
    refreshed.catch(onFailure);
    const cluster = watchCluster({ ...connection, clock, say: sayOf('crawl') });
    try {
      await act(book, peers, cluster);
    } finally {
      stop.abort();
      await cluster.stop();
      await refreshed.catch(() => {});
      peers.close();
      await book.stop();
    }
  };
  await withKafka(flags, clock, { sink: 'pull' }, serve, undefined, true);
}

interface Joining extends ServedKafka, KafkaConnection {
  readonly crawl: string;
  readonly number: number;
  readonly address: string;
  readonly lists: ReturnType<typeof createListFiles>;
  openStore(number: number, partition: number): ReturnType<typeof openStateStore>;
  /** Removes the stores of a crawl, which are closed. */
  forget(number: number): Promise<void>;
}

async function joinCrawl(joining: Joining): Promise<RunningCrawl> {
  const { log, codec, clock, manifest, flags, crawl, number, address, lists, onFailure } = joining;
  const { partitions } = manifest;
  const application = createApplication({ log, codec, clock, manifest: { ...manifest, crawl } });
  const options: Parameters<typeof application.frontierMember>[0] = {
    key: fingerprintKeyOf(manifest),
    lists,
    // Clients may outlive this process, so their leases stay valid until the deadlines.
    endsLeases: false,
    seen: seenConfigOf(flags, partitions),
    leasesPerPartition: 0,
    address,
    onFailure,
    onReopen: ({ message, code }) => say(`${message}; reopening the partition`, 'warn', { component: 'state', code }),
    onProgress: printRestore,
    openStore: (partition) => joining.openStore(number, partition),
  };
  const group = await application.frontierMember(options, 'pull');
  return {
    partitions: () => Array.from({ length: partitions }, (_, one) => openSide(group.owner(one)?.calls)),
    ready: () => group.ready(),
    stop: async (forgets = false) => {
      await group.stop();
      if (forgets) await joining.forget(number);
    },
  };
}

/** A partition that is being opened, or was lost, has no owner for the moment. */
function openSide<Side extends { readonly core: unknown }>(side: Side | undefined): Side | undefined {
  return side?.core === undefined ? undefined : side;
}

/** Crawl ids that another process was the first to create: their partitions have to be shared out, too. */
async function refreshRegularly(book: CrawlBook, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleepUntil(clock.nowMs() + pullLimits.crawlsRefreshMs, signal);
    if (!signal.aborted) await book.refresh();
  }
}
