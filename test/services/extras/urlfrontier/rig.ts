/** A server over memory, whose stores outlive it: what a restart finds is what was durable. */

import { openCrawlBook } from '../../../../services/extras/urlfrontier/crawl-book.ts';
import { startServer } from '../../../../services/extras/urlfrontier/server.ts';
import { startFrontier } from '../../../../services/frontier/frontier.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import type { GrpcListen } from '../../../../services/runtime/grpc/grpc-server.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { type ApiClient, connect } from './client.ts';

type PartitionCalls = ReturnType<typeof startFrontier>['owners'][number]['calls'];

export interface Rig {
  readonly client: ApiClient;
  readonly port: number;
  /** Crawls that run now, by name. */
  readonly running: ReadonlySet<string>;
  /** The partitions of the newest crawl that was opened, past the server. */
  readonly partitions: readonly PartitionCalls[];
  /** Ends the server and starts another on the same stores; `forgets`: with its checkpoints lost. */
  restart(options?: { readonly forgets?: boolean }): Promise<void>;
  close(): Promise<void>;
}

const patienceMs = 20_000;

export async function startRig(partitions = 1, listen: Partial<GrpcListen> = {}, token?: string): Promise<Rig> {
  const logStore = createMemoryStore();
  const stores = new Map<string, ReturnType<typeof createMemoryStore>>();
  const storeOf = (name: string) => {
    const store = stores.get(name) ?? createMemoryStore();
    stores.set(name, store);
    return store;
  };
  const crawls = new Set<string>();
  let partitionsOpen: readonly PartitionCalls[] = [];
  let running = await start();

  async function start() {
    const clock = new SystemClock();
    const log = await openEmbeddedLog(logStore, clock);
    const codec = await openCodec(createMemoryRegistry(), 'served');
    const manifest = {
      format: 1 as const,
      crawl: 'served',
      partitions,
      keyMode: 'host' as const,
      pslHash: '',
      seenKeyVersion: 1,
      fingerprintVersion: 1,
      sink: 'pull' as const,
      fingerprintKey: '0123456789abcdef0123456789abcdef',
      createdAt: '',
      createdBy: '',
    };
    const book = await openCrawlBook({
      log,
      codec,
      clock,
      manifest,
      start: async (crawl) => {
        crawls.add(crawl);
        let [opened, left] = [() => {}, partitions];
        const ready = new Promise<void>((resolve) => (opened = resolve));
        const frontier = startFrontier({
          log,
          codec,
          clock,
          crawl,
          partitions,
          key: { hi: 1, lo: 2 },
          stores: Array.from({ length: partitions }, (_, number) => storeOf(`${crawl} ${number}`)),
          endsLeases: false,
          leasesMax: 0,
          onOpened: () => {
            left -= 1;
            if (left === 0) opened();
          },
        });
        const sides = frontier.owners.map(({ calls }) => calls);
        partitionsOpen = sides;
        return {
          partitions: () => sides,
          ready: () => ready,
          stop: async () => {
            await frontier.stop();
            crawls.delete(crawl);
          },
        };
      },
    });
    const server = await startServer({ book, listen: { host: '127.0.0.1', port: 0, ...listen }, say: () => {} });
    const ca = listen.tls?.now.cert;
    const client = connect(server.port, { ...(ca && { ca }), ...(token !== undefined && { token }) });
    return { log, book, server, client };
  }

  async function stop() {
    running.client.close();
    await running.server.close();
    await running.book.stop();
    await running.log.close();
  }

  return {
    get client() {
      return running.client;
    },
    running: crawls,
    get partitions() {
      return partitionsOpen;
    },
    get port() {
      return running.server.port;
    },
    restart: async ({ forgets = false } = {}) => {
      await stop();
      if (forgets) stores.clear();
      running = await start();
    },
    close: stop,
  };
}

/** Asks until the answer is as wanted: for what time brings. */
export async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const endMs = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (wanted(answer) || Date.now() > endMs) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
