/** A publisher on a clock moved by hand, whose log takes what it is given, or nothing for as long as a test likes. */
import { blankOutcome, blankPage, blankTask } from '../../schemas/blank.ts';
import { createLinkCache } from '../../services/fetcher/publish/link-cache.ts';
import { createPublisher } from '../../services/fetcher/publish/publisher.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import type { AppendRecord, Log } from '../../services/runtime/log/log.ts';
import { createFakeClock } from '../services/fetcher/fake-clock.ts';

const codec = await openCodec(createMemoryRegistry(), 'c');
const url = 'http://a.test/';

/** A page whose record has so many bytes. */
function pageOf(bytes: number) {
  const sized = (length: number) => ({ ...blankPage, url, hostKey: 'a.test', text: 'x'.repeat(length) });
  // The length of the text is written in as many bytes as it needs.
  let length = bytes - codec.encode('pages', sized(0)).length;
  while (codec.encode('pages', sized(length)).length > bytes) length -= 1;
  const page = sized(length);
  if (codec.encode('pages', page).length !== bytes) throw new Error(`no page has a record of ${bytes} bytes`);
  return page;
}

function publishing(isStuck: boolean) {
  const clock = createFakeClock();
  const topics: string[] = [];
  const append = async (records: readonly AppendRecord[]) => {
    topics.push(...records.map(({ topic }) => topic));
    return isStuck ? new Promise<number[]>(() => {}) : records.map((_, offset) => offset);
  };
  const publisher = createPublisher({
    log: { append } as unknown as Log,
    ...{ clock, codec, partitions: 1, keyMode: 'host', fetcherId: 'f', linkCache: createLinkCache(16) },
    topics: {
      ...{ pages: 'pages', discovered: 'discovered', results: 'results' },
      ...{ responses: 'responses', render: 'render', robots: 'robots' },
    },
    onFailure: (error) => {
      throw error;
    },
  });
  const lease = publisher.open({ ...blankTask, hostKey: 'a.test' });
  const report = (bytes: number) => {
    const outcome = { ...blankOutcome, url, kind: 'fetched' as const };
    return lease.report({ outcome, requests: [], page: pageOf(bytes), groups: [], pending: [] });
  };
  return { clock, topics, report };
}

/** Does a page of so many bytes leave at once? */
export function leavesAtOnce(bytes: number): boolean {
  const { topics, report } = publishing(false);
  void report(bytes);
  return topics.includes('pages');
}

/** Has a small page left after so many ms? */
export async function hasLeftAfter(ms: number): Promise<boolean> {
  const { clock, topics, report } = publishing(false);
  void report(1_000);
  await clock.advance(ms);
  return topics.includes('pages');
}

/** Does a lease go on at once that has so many bytes under way, none of them acked? */
export function goesOnAt(bytes: number): boolean {
  const { report } = publishing(true);
  const each = 2 ** 23;
  let left = bytes;
  for (; left > 2 * each; left -= each) if (report(each) !== undefined) throw new Error('it waits already');
  return report(left) === undefined;
}

/** Has an outcome been told so many ms after its page was acked, its lease going on? */
export async function isReportedAfter(flushMs: number, ms: number): Promise<boolean> {
  const { clock, topics, report } = publishing(false);
  void report(1_000);
  await clock.advance(flushMs);
  await clock.advance(ms);
  return topics.includes('results');
}
