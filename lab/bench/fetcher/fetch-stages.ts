/**
 * The time of a crawl by stage, from a CPU profile of its main thread.
 *
 * Each sample counts for the innermost frame of our code or a library. Native code (zlib, sockets, RocksDB, the garbage
 * collector) counts for its caller, if the profile has one. Idle time counts for no stage.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** The first match decides. A frame without a match counts for its caller, and finally as `other`. */
/** Patterns match `URL function`, as in `file:///…/record-batch.js writeBatch`. */
export type Stages = readonly (readonly [stage: string, pattern: RegExp])[];

const crawlStages: Stages = [
  ['parse', /\/topology\/parse\/|\/htmlparser2\/|\/entities\//],
  ['robots', /\/topology\/robots\/|\/fetcher\/robots\/cache\./],
  ['urls', /\/topology\/url\/|\/page-links\.|\/link-cache\./],
  ['http', /\/undici\/|\/fetcher\/http\/client\.|\/exchange\.|\/connector\.|^node:(?:_http|events)/],
  ['sockets', /^node:(?:net|internal\/stream|internal\/streams)/],
  ['Kafka client', /\/kafkajs\/|\/log\/kafka\//],
  ['content coding', /\/content-coding\.|^node:zlib/],
  ['pacing and leases', /\/services\/fetcher\//],
  ['frontier', /\/topology\/frontier\/|\/services\/frontier\//],
  ['records', /\/runtime\/avro\/|\/avsc\//],
  ['log and store', /\/runtime\/(?:log|store)\/|\/rocksdb\/|\/abstract-leveldown\//],
];

/** Shares of the busy time, largest first. */
export async function stageShares(folder: string, stages = crawlStages): Promise<Record<string, number>> {
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Error('the crawl left no profile');
  const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profile;
  const stageOf = stagesByNode(profile.nodes, stages);
  const micros = new Map<string, number>();
  let busy = 0;
  for (const [i, id] of profile.samples.entries()) {
    const stage = stageOf.get(id)!;
    const delta = profile.timeDeltas[i] ?? 0;
    if (stage === 'idle') continue;
    busy += delta;
    micros.set(stage, (micros.get(stage) ?? 0) + delta);
  }
  const inOrder = [...micros].sort((a, b) => b[1] - a[1]);
  return Object.fromEntries(inOrder.map(([stage, spent]) => [stage, spent / busy]));
}

function stagesByNode(nodes: readonly ProfileNode[], stages: Stages): Map<number, string> {
  const found = new Map<number, string>();
  const parentOf = new Map<number, number>();
  for (const { id, children = [] } of nodes) for (const child of children) parentOf.set(child, id);
  // Parents come first in a profile.
  for (const { id, callFrame } of nodes)
    found.set(id, ownStage(callFrame, stages) ?? found.get(parentOf.get(id) ?? -1) ?? 'other');
  return found;
}

function ownStage({ functionName, url }: ProfileNode['callFrame'], stages: Stages): string | undefined {
  if (functionName === '(idle)') return 'idle';
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'outside JavaScript';
  const place = `${url} ${functionName}`;
  return stages.find(([, pattern]) => pattern.test(place))?.[0];
}
