/**
 * `npm run bench -- yardstick [--json]`
 *
 * The present speed of the machine: CPU of work that no commit changes, since none of it is our code. Strings, maps,
 * byte arrays, JSON, gzip and SHA-256, in about the shares that a page needs; the minimum of several rounds. Figures of
 * two days or two machines are compared as multiples of it (against-release.ts).
 */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startCost } from './process-cost.ts';

const rounds = 7;
/** Each takes some 10 ms of a core of 2024. */
const turns = 20;

export async function run(args: readonly string[]): Promise<void> {
  const millis = Array.from({ length: rounds }, () => {
    const end = startCost();
    for (let turn = 0; turn < turns; turn++) work(turn);
    return (1_000 * end().cpuSeconds) / turns;
  });
  const cpuMillis = Number(Math.min(...millis).toFixed(3));
  process.stdout.write(`yardstick: ${cpuMillis} ms of CPU\n`);
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ name: 'yardstick', cpuMillis })}\n`);
}

function work(seed: number): number {
  const links = Array.from(
    { length: 5_000 },
    (_, n) => `https://h${(n * 7919 + seed) % 997}.example.org/p/${n}?q=${n * 31}`,
  );
  const byHost = new Map<string, string[]>();
  for (const link of links) {
    const host = link.slice(8, link.indexOf('/', 8));
    const known = byHost.get(host);
    if (known === undefined) byHost.set(host, [link]);
    else known.push(link);
  }
  const text = JSON.stringify([...byHost]);
  const bytes = gunzipSync(gzipSync(Buffer.from(text), { level: 1 }));
  const read = JSON.parse(bytes.toString()) as [string, string[]][];
  let sum = createHash('sha256').update(bytes).digest()[0]!;
  for (const [host, own] of read)
    for (const link of own) sum = (Math.imul(sum, 31) + host.length + link.charCodeAt(9)) | 0;
  return sum;
}
