/** What the dashboard's service takes of a query, and what a sweep of unfinished snapshots leaves. */
import { failureReader } from '../../services/extras/dashboard/command/failure-reader.ts';
import { createDashboard } from '../../services/extras/dashboard/dashboard-routes.ts';
import { crawlIdOf, newFolder } from '../../services/frontier/snapshots/manifest.ts';
import { createSnapshotRepository } from '../../services/frontier/snapshots/snapshot-repository.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { startHttpServer } from '../../services/runtime/http/http-server.ts';
import { Probes } from '../../services/runtime/http/probes.ts';
import { createMemoryObjects } from '../../services/runtime/objects/memory-objects.ts';
import { shownCrawl } from '../browser/shown-crawl.ts';

/** Is such a query for hosts answered? */
export const listsHosts = (query: string): Promise<boolean> => isAnswered(`hosts?${query}`, 200);

/** Are so many seeds of one call taken? */
export function sendsSeeds(count: number): Promise<boolean> {
  const urls = Array.from({ length: count }, (_, at) => `http://a.test/${at}`);
  const headers = { 'content-type': 'application/json', 'x-crawlstream': '1' };
  return isAnswered('../crawl/seeds', 202, { method: 'POST', headers, body: JSON.stringify({ urls }) });
}

/** Are URLs without a page listed of a crawl with so many results? */
export async function listsFailures(records: number): Promise<boolean> {
  const log = {
    offsets: async (topic: string) => ({ start: 0, end: topic === 'c.results' ? records : 0 }),
    reader() {
      throw new Error('it is read');
    },
  };
  const topics = { crawl: 'c', partitions: 1, keyMode: 'host' } as const;
  const read = failureReader({ log, codec: undefined as never, topics }, { data: 'd' });
  return read().then(
    () => true,
    ({ message }: Error) => message === 'it is read',
  );
}

async function isAnswered(path: string, status: number, init?: RequestInit): Promise<boolean> {
  const { view } = shownCrawl('live');
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    routes: [createDashboard(new SystemClock(), () => view).routes],
    onBug: (error) => {
      throw error;
    },
  });
  try {
    return (await fetch(`http://${server.address}/dashboard/${path}`, init)).status === status;
  } finally {
    await server.close();
  }
}

/** Is a snapshot without a manifest swept so many ms after it was begun? */
export async function isSweptAfter(ms: number): Promise<boolean> {
  const identity = { crawl: 'c', partition: 0, partitions: 1, keyMode: 'host' } as const;
  const begun = Date.UTC(2026, 0, 31, 12, 0, 0, 7);
  const name = `${newFolder(identity, 9, begun)}rows-0`;
  // What is further than every snapshot may be in the making.
  const further = `${newFolder(identity, 10, begun)}manifest.json`;
  const objects = new Map([name, further].map((one) => [one, Buffer.from('half')]));
  await createSnapshotRepository(createMemoryObjects(objects), crawlIdOf({ hi: 1, lo: 2 })).prune(
    identity,
    2,
    begun + ms,
  );
  return !objects.has(name);
}
