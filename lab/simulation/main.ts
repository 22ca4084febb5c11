/**
 * `npm run simulate -- [--seeds N] [--seed S] [--minutes M] [--json] [--trace]`
 *
 * `npm run simulate -- --fleet …`: the same with fleets of several crawls that share hosts, without shrinking. `npm run
 * simulate -- --fetchers-gone [--json]`: one crawl of 60,000 URLs without fetchers for two hours. `npm run simulate --
 * --network-away [--json]`: a crawl without its network, its name servers or one fetcher's network for hours.
 *
 * Runs seeds S to S+N−1; `--seed` alone runs that one; `--minutes` continues until the time is up. A failing seed is
 * run again with fewer and fewer faults, and the shortest list that still fails is printed. Exit code 1: a seed failed.
 */
import { parseArgs } from 'node:util';
import { drawFleet } from './fleet-world.ts';
import { printFetchersGone } from './print-fetchers-gone.ts';
import { printNetworkAway } from './print-network-away.ts';
import { run } from './run.ts';
import { runFleet } from './run-fleet.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    json: { type: 'boolean' },
    trace: { type: 'boolean' },
    'fetchers-gone': { type: 'boolean' },
    'network-away': { type: 'boolean' },
    fleet: { type: 'boolean' },
  },
});
if (values['fetchers-gone']) process.exit((await printFetchersGone(values.json ?? false)) ? 0 : 1);
if (values['network-away']) process.exit((await printNetworkAway(values.json ?? false)) ? 0 : 1);

const first = whole('seed', values.seed ?? '1');
const minutes = values.minutes === undefined ? undefined : whole('minutes', values.minutes);
const endless = minutes === undefined ? 1 : Number.POSITIVE_INFINITY;
const seeds =
  values.seeds === undefined
    ? values.seed === undefined && minutes === undefined
      ? 100
      : endless
    : whole('seeds', values.seeds);
const deadlineMs = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
const failed: number[] = [];
let count = 0;

for (; count < seeds && Date.now() < deadlineMs; count++) {
  const seed = first + count;
  const startMs = performance.now();
  const noting = values.trace ? { onNote: (line: string) => void process.stderr.write(`${line}\n`) } : {};
  if (values.fleet) {
    const { violations, virtualMs, pages, trace } = await runFleet(seed, noting);
    const ok = violations.length === 0;
    if (!ok) failed.push(seed);
    const ms = Math.round(performance.now() - startMs);
    say({ seed, ok, ms, ...(ok ? { virtualMs, pages, trace } : { violations }), faults: drawFleet(seed).faults });
    continue;
  }
  const report = await run(seed, noting);
  const ms = Math.round(performance.now() - startMs);
  if (report.violations.length > 0) {
    failed.push(seed);
    const shrunk = await shrink(report);
    say({ seed, ok: false, ms, violations: shrunk.violations, faults: shrunk.faults });
  } else {
    const { virtualMs, pages, trace, faults } = report;
    say({ seed, ok: true, ms, virtualMs, pages, faults: faults.length, trace });
  }
}
const passed = count - failed.length;
if (values.json) process.stdout.write(`${JSON.stringify({ seeds: count, passed, failed })}\n`);
else
  process.stdout.write(
    `${passed} of ${count} seeds passed${failed.length > 0 ? `; failed: ${failed.join(' ')}` : ''}\n`,
  );
process.exitCode = failed.length > 0 ? 1 : 0;

interface Line {
  readonly seed: number;
  readonly ok: boolean;
  readonly violations?: readonly string[];
  readonly faults: unknown;
}

function say(line: Line & Record<string, unknown>): void {
  if (values.json) process.stdout.write(`${JSON.stringify(line)}\n`);
  else if (!line.ok) {
    process.stdout.write(`seed ${line.seed} failed:\n${line.violations!.map((one) => `  ${one}\n`).join('')}`);
    const faults = line.faults as readonly unknown[];
    process.stdout.write(
      `  with ${faults.length} faults:\n${faults.map((one) => `    ${JSON.stringify(one)}\n`).join('')}`,
    );
  }
}

function whole(name: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0 && value.trim() !== '') return number;
  process.stderr.write(`--${name} must be a whole number, not ${value}\n`);
  process.exit(2);
}
