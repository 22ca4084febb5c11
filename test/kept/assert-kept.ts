/**
 * What pure code makes of inputs that are the same at each run, held against what it made when that was kept: a change of
 * behaviour that nobody meant is noticed, whatever it is. It says nothing of right or wrong; the other tests do.
 *
 * `CRAWLSTREAM_TEST_KEEP=1 node --import tsx --test FILE` keeps what is now, where a change was meant; the diff names the
 * cases that are others.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Of a part. Four digits may agree by chance, those of all parts that follow may not. */
const digits = 6;
const shownMax = 4_000;

/** `cases`: what came of each, in parts that follow each other. `kept`: a JSON file beside the test. */
export function assertKept(kept: URL, cases: ReadonlyMap<string, Iterable<unknown>>): void {
  const file = fileURLToPath(kept);
  if (process.env['CRAWLSTREAM_TEST_KEEP'] === '1') return keep(file, cases);
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  assert.deepEqual([...cases.keys()].sort(), Object.keys(before).sort(), `cases of ${file}`);
  for (const [name, parts] of cases) {
    let at = 0;
    for (const part of parts) {
      const text = plain(part);
      if (hash(text) !== before[name]!.slice(at, at + digits))
        throw new Error(`${name}, part ${at / digits}, is not what was kept. Now:\n${text.slice(0, shownMax)}`);
      at += digits;
    }
    assert.equal(at, before[name]!.length, `parts of ${name}`);
  }
}

function keep(file: string, cases: ReadonlyMap<string, Iterable<unknown>>): void {
  const now = [...cases].map(([name, parts]) => [name, Array.from(parts, (part) => hash(plain(part))).join('')]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(now), null, 2)}\n`);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** JSON, with maps, sets and bytes; the last digits of fractions are the machine's. */
function plain(value: unknown): string {
  return (
    JSON.stringify(value, (_, one: unknown) => {
      if (typeof one === 'number')
        return Number.isFinite(one) ? (Number.isInteger(one) ? one : Number(one.toPrecision(9))) : `${one}`;
      if (one instanceof Map) return { map: [...one] };
      if (one instanceof Set) return { set: [...one] };
      if (one instanceof RegExp || typeof one === 'bigint') return `${one}`;
      return ArrayBuffer.isView(one) && !(one instanceof Uint8Array) ? Array.from(one as unknown as number[]) : one;
    }) ?? 'undefined'
  );
}
