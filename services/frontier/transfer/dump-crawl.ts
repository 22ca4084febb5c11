/**
 * A dump of a crawl's frontier: the state of every partition and its waiting inputs, as lines (dump-line.ts).
 *
 * It reads while other processes own the partitions, each partition at its own moment. To move a crawl, stop its
 * fetchers and its frontiers first, because later work is not in the dump.
 */
import type { DeadLetter, Discovered, LinkGroup } from '../../../schemas/types.ts';
import { placeNames } from '../../../topology/frontier/changes/changes.ts';
import { type Counters, sumCounters } from '../../../topology/frontier/changes/counters.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import {
  type DumpHead,
  type DumpLine,
  type DumpTotals,
  dumpVersion,
} from '../../../topology/frontier/transfer/dump-line.ts';
import {
  budgetLines,
  dumpHosts,
  repeatedLine,
  rowLine,
  tallyLine,
} from '../../../topology/frontier/transfer/dump-state.ts';
import { unreadable } from '../../../topology/frontier/unreadable.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { LineWriter } from '../../runtime/lines/line-writer.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { answerRequest } from '../restore/job-runner.ts';
import { type CopyOptions, type CopyStart, settleCopy, tail } from './settle-copy.ts';

export interface DumpOptions extends Omit<CopyOptions, 'identity' | 'store' | 'repository' | 'onNotice'> {
  readonly manifest: Manifest;
  readonly head: Pick<DumpHead, 'id' | 'madeBy' | 'policy' | 'asked' | 'seeds'>;
  /** Provides a temporary store for a copy of a partition, with a checkpoint to start from if there is one. */
  readonly withStart: (partition: number, act: (start: CopyStart) => Promise<void>) => Promise<void>;
  readonly lines: LineWriter;
  readonly onPartition?: (partition: number) => void;
}

export async function dumpCrawl(options: DumpOptions): Promise<DumpTotals> {
  const { manifest, head, clock } = options;
  const { crawl, partitions, keyMode, seenKeyVersion, fingerprintVersion, fingerprintKey } = manifest;
  const lines = new CountedLines(options.lines);
  const facts = { crawl, partitions, keyMode, seenKeyVersion, fingerprintVersion, fingerprintKey };
  lines.write({ dump: 'crawlstream', version: dumpVersion, madeAtMs: clock.nowMs(), ...head, ...facts });
  const counters: Counters[] = [];
  let links = 0;
  for (let partition = 0; partition < partitions; partition++) {
    options.onPartition?.(partition);
    await options.withStart(partition, async (start) => {
      const identity = { crawl, partition, partitions };
      const dumped = await dumpPartition({ ...options, ...start, identity }, lines);
      counters.push(dumped.counters);
      links += dumped.links;
    });
  }
  const { hosts, admitted, imported, scheduled, ...sum } = sumCounters(counters);
  const places = Object.fromEntries(placeNames.map((name) => [name, sum[name]])) as DumpTotals['places'];
  const totals = { hosts, admitted, imported, scheduled, places, links };
  lines.write({ end: true, lines: lines.count, totals });
  await options.lines.finish();
  return totals;
}

async function dumpPartition(options: CopyOptions, lines: CountedLines) {
  const { store, identity } = options;
  const { state, offset, letters: deadLetters } = await settleCopy(options);
  const counters = { ...state.counters };
  const normalizer = state.policyJson === '' ? undefined : compileNormalizer(parsePolicy(state.policyJson).normalize);
  const normal = (url: string) => normalizer?.(url) ?? url;
  const write = (line: DumpLine) => lines.write(line);
  write({ partition: identity.partition, offset, nowMs: state.nowMs });
  for (const line of budgetLines(state)) {
    write(line);
    await lines.flush();
  }
  const records = new Map<string, number>();
  for await (const [key, value] of store.scan({ gte: Buffer.from('u'), lt: Buffer.from('v') })) {
    const line = rowLine(state, key, value, normal);
    records.set(line.status, (records.get(line.status) ?? 0) + 1);
    write(line);
    await lines.flush();
  }
  await runFlushing(store, dumpHosts(state, normal, write), lines);
  write(repeatedLine(state, records));
  write(tallyLine(state));
  const links = await dumpLinks(options, state, lines);
  for (const deadLetter of deadLetters) write(deadLetterLine(deadLetter));
  await lines.flush();
  return { counters, links };
}

/** The part of `discovered` that was not decided. The first record may have been taken in part. */
async function dumpLinks(options: CopyOptions, state: FrontierState, lines: CountedLines): Promise<number> {
  const { codec, identity, clock } = options;
  let links = 0;
  let skip = state.positions.discovered.slice;
  for await (const { offset, value } of tail(options, state, 'discovered')) {
    await codec.prepare('discovered', value);
    let groups: readonly LinkGroup[] = [];
    try {
      ({ groups } = codec.decode('discovered', value) as Discovered);
    } catch (error) {
      const input = { topic: 'discovered', offset, record: null, bytes: value, why: (error as Error).message } as const;
      lines.write(deadLetterLine(unreadable(identity, input, clock.nowMs())));
    }
    for (const group of groups) {
      const left = group.links.slice(skip);
      skip = Math.max(0, skip - group.links.length);
      if (left.length > 0) lines.write({ links: { ...group, links: left } });
      links += left.length;
    }
    skip = 0;
    await lines.flush();
  }
  return links;
}

function deadLetterLine(deadLetter: DeadLetter): DumpLine {
  return { letter: { ...deadLetter, original: Buffer.from(deadLetter.original).toString('base64') } };
}

/** Lines are written out whenever the job pauses. */
async function runFlushing(store: StateStore, job: StoreJob, lines: CountedLines): Promise<void> {
  for (let next = job.next([]); !next.done; ) {
    const reply = await answerRequest(store, next.value);
    await lines.flush();
    next = job.next(reply);
  }
}

class CountedLines {
  readonly #lines: LineWriter;
  count = 0;

  constructor(lines: LineWriter) {
    this.#lines = lines;
  }

  write(line: DumpLine): void {
    this.#lines.write(JSON.stringify(line));
    this.count += 1;
  }

  flush(): Promise<void> {
    return this.#lines.flush();
  }
}
