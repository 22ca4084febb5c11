/**
 * kill -9 during ingest, in the middle of writes to the state store (saves, and the seen test's spills and merges) and
 * between them: whatever opens next agrees with the changelog, to the digest, and its position with what was admitted.
 *
 * `CRAWLSTREAM_TEST_KILLS` says how many kills, `CRAWLSTREAM_TEST_KILL_SEED` which.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mix } from '../../../lab/web/random.ts';
import { openPartition } from '../../../services/frontier/open/open-partition.ts';
import { changelogTopic } from '../../../services/frontier/restore/restore.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';
import { decodeChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { metaKey } from '../../../topology/frontier/checkpoint/checkpoint.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { clock, type IngestFolder, identity, key, openIngestFolder, seen } from './ingest-folder.ts';
import { linksPerMessage, newPerMessage } from './ingest-links.ts';

const kills = Number(process.env['CRAWLSTREAM_TEST_KILLS'] ?? 6);
const seed = Number(process.env['CRAWLSTREAM_TEST_KILL_SEED'] ?? 1);
const writer = fileURLToPath(new URL('./ingest-writer.ts', import.meta.url));
const killWithinMs = 2_500;
const killWithinWrites = 40;
/** Then a new partition: what is checked after each kill grows with it. */
const killsPerFolder = 3;

it(`a partition opens in agreement with its changelog after each of ${kills} kills`, async (t) => {
  let folder = '';
  const ends: number[] = [];
  let fromView = 0;
  let spilled = 0;
  for (let kill = 0; kill < kills; kill++) {
    if (kill % killsPerFolder === 0) folder = temporaryFolder();
    const dice = mix(seed, kill);
    await ingestUntilKilled(
      folder,
      kill % 2 === 0 ? { atWrite: 1 + (dice % killWithinWrites) } : { afterMs: dice % killWithinMs },
    );
    const opened = await openIngestFolder(folder);
    try {
      const { position, checkpoint, runs } = await check(opened);
      ends.push(position);
      if (checkpoint) fromView += 1;
      if (runs) spilled += 1;
    } finally {
      await opened.close();
    }
  }
  t.diagnostic(
    `messages decided after each kill: ${ends.join(', ')}; ${fromView} opened from a checkpoint, ${spilled} with runs`,
  );
  assert.ok(fromView > 0 && spilled > 0 && new Set(ends).size > kills / 2, 'the kills met a partition at work');
});

async function ingestUntilKilled(folder: string, when: { readonly atWrite: number } | { readonly afterMs: number }) {
  const atWrite = 'atWrite' in when ? when.atWrite : 0;
  const child = spawn(process.execPath, ['--import', 'tsx', writer, folder, `${atWrite}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  if ('afterMs' in when) {
    await sleep(when.afterMs);
    child.kill('SIGKILL');
  }
  const [, signal] = (await exited) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL', 'the writer works until it is killed');
}

interface Checked {
  /** Messages decided. */
  readonly position: number;
  /** There was a checkpoint to begin with, and the seen test had spilled. */
  readonly checkpoint: boolean;
  readonly runs: boolean;
}

async function check({ log, store }: IngestFolder): Promise<Checked> {
  const before = await store.get(metaKey);
  const partition = await openPartition({ log, store, identity, key, seen, clock, endsLeases: false });
  const { state } = partition;
  assert.equal(
    (await store.get(metaKey)) === undefined,
    before === undefined,
    'the checkpoint was good: nobody discarded it',
  );

  const replayed = new FrontierState(key);
  const topic = changelogTopic(identity.crawl);
  for await (const record of recordsOf(log, topic, 0, 0, state.changelog.offset)) {
    replay(replayed, record.offset, decodeChangelog(record.value));
  }
  assert.equal(digest(state), digest(replayed), 'what opens is what the whole changelog gives');

  const { offset, slice } = state.positions.discovered;
  assert.equal(state.counters.discovered, offset * linksPerMessage + slice);
  assert.equal(state.counters.admitted, offset * newPerMessage + Math.min(slice, newPerMessage));
  return { position: offset, checkpoint: before !== undefined, runs: state.seen.runs.length > 0 };
}
