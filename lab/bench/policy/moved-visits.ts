/**
 * `npm run bench -- moved-visits [--urls N] [--hosts N] [--json]`
 *
 * A policy with another interval, while pages wait for their next visits: the steps until it is in force, the longest of
 * them, and the bytes of changelog.
 */
import { noHistory } from '../../../topology/policy/recrawl/history.ts';
import { defaultRecrawl } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { Hand } from '../../model/hand.ts';
import { benchOptions } from '../bench-options.ts';
import { onOneCore } from '../process/one-core.ts';

interface MoveFigures {
  readonly pages: number;
  readonly hosts: number;
  readonly steps: number;
  readonly longestStepMs: number;
  readonly seconds: number;
  readonly changelogBytes: number;
}

const dayMs = 86_400_000;

export async function run(args: readonly string[]): Promise<void> {
  const { urls, hosts, json } = benchOptions(args, { urls: 1_000_000, hosts: 1_000 });
  const figures = await onOneCore('moved-visits', ['--urls', `${urls}`, '--hosts', `${hosts}`], async () =>
    measure(urls, hosts),
  );
  if (figures === undefined) return;
  console.table([figures]);
  if (json) process.stdout.write(`${JSON.stringify({ name: 'moved-visits', ...figures })}\n`);
}

function measure(pages: number, hosts: number): MoveFigures {
  const hand = new Hand(every(30));
  const { state } = hand.rig.core;
  const numbers = Array.from({ length: hosts }, (_, n) => state.getOrCreate(`h${n}.test`).id);
  const record = {
    ...({ url: 'https://h0.test/', status: 'page', outcome: 'fetched', httpStatus: 200, atMs: hand.nowMs } as const),
    ...{ attempts: 1, depth: 1, etag: '', lastModified: '', contentHash: '', soft404: false },
  };
  const page = {
    record,
    frontQueue: 3,
    visitedAtMs: hand.nowMs,
    changedAtMs: hand.nowMs,
    history: noHistory,
    signature: '',
    failures: 0,
  };
  for (let n = 0; n < pages; n++) {
    const lo = Math.imul(n, 2_654_435_761) >>> 0;
    state.recrawl.put(Math.imul(n, 40_503) >>> 0, lo, numbers[n % hosts]!, page, hand.nowMs + 30 * dayMs);
  }
  state.recrawl.pages.clear();
  const before = hand.rig.changelog.length;
  const beganMs = performance.now();
  let longestStepMs = 0;
  let stepMs = beganMs;
  for (let isFirst = true; isFirst || state.positions.control.slice > 0; isFirst = false) {
    if (isFirst) hand.policy(every(10));
    else hand.rig.step(hand.nowMs, 0);
    longestStepMs = Math.max(longestStepMs, performance.now() - stepMs);
    stepMs = performance.now();
  }
  const commits = hand.rig.changelog.slice(before);
  return {
    pages,
    hosts,
    steps: commits.length,
    longestStepMs: Math.round(longestStepMs),
    seconds: Number(((performance.now() - beganMs) / 1_000).toFixed(2)),
    changelogBytes: commits.reduce((sum, { length }) => sum + length, 0),
  };
}

function every(days: number) {
  return { recrawl: { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: days * dayMs } };
}
