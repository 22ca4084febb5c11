import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ArchiveIndex } from '../../../../../services/extras/archive/replay/archive-index.ts';
import { hostsOf, searched, shownCaptures } from '../../../../../services/extras/archive/replay/listed.ts';
import {
  fromMemory,
  type LineSource,
  linesFrom,
  looksSorted,
} from '../../../../../services/extras/archive/replay/sorted-lines.ts';
import { surtOf } from '../../../../../services/extras/archive/surt.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { writeWarc } from './warc-file.ts';

async function some(source: LineSource, key: string, count: number): Promise<string[]> {
  const found: string[] = [];
  for await (const line of linesFrom(source, key)) {
    if (found.push(line) === count) break;
  }
  return found;
}

test('any key is found in lines of all lengths, as by reading them all', async () => {
  const lines = Array.from({ length: 5_000 }, (_, n) => `${`${n * 3}`.padStart(7, '0')} ${'x'.repeat((n * 37) % 900)}`);
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  const source = fromMemory('lines', bytes);
  for (let key = 0; key < 15_010; key += 41) {
    const wanted = `${key}`.padStart(7, '0');
    assert.deepEqual(await some(source, wanted, 2), lines.filter((line) => line >= wanted).slice(0, 2), wanted);
  }
});

test('a search reads little of a long index, and holds none of it', async () => {
  const line = (n: number) => `${`${n}`.padStart(8, '0')} ${'y'.repeat(91)}\n`;
  const bytes = 100 * 1_000_000;
  let reads = 0;
  // A million lines that are made as they are read.
  const source: LineSource = {
    name: 'made',
    bytes,
    async read(offset, length) {
      reads += 1;
      const first = Math.floor(offset / 101);
      let text = '';
      for (let n = first; text.length < length + 101; n++) text += line(n);
      return Buffer.from(text).subarray(offset - first * 101, offset - first * 101 + Math.min(length, bytes - offset));
    },
  };
  assert.equal((await some(source, '00654321', 1))[0], line(654_321).trimEnd());
  assert.ok(reads <= 40, `${reads} reads`);
});

test('an unsorted index is recognised, short or long', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'index.cdxj');
  const sorted = Array.from({ length: 9_000 }, (_, n) => `${`${n}`.padStart(6, '0')} ${'z'.repeat(n % 90)}`);
  for (const [lines, is] of [
    [[], true],
    [['a'], true],
    [['a', 'a', 'b'], true],
    [['b', 'a'], false],
    [sorted, true],
    [[...sorted.slice(4_500), ...sorted.slice(0, 4_500)], false],
    [[...sorted].reverse(), false],
  ] as const) {
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    assert.equal(await looksSorted(file), is, `${lines.length} lines`);
  }
});

test('an endless line is an error that names its file', async () => {
  const source = fromMemory('endless.cdxj', Buffer.alloc(3 << 20, 'x'));
  await assert.rejects(some(source, 'x', 1), /endless\.cdxj: a line is longer/);
});

test('captures of several files come by time, hosts by their own search, and lists in pages', async () => {
  const folder = temporaryFolder();
  const of = (name: string, from: number) =>
    writeWarc(
      folder,
      name,
      Array.from({ length: 201 - from }, (_, n) => ({
        url: n % 2 === 0 ? 'http://pond.test/page' : 'https://www.pond.test/page/',
        time: `${20_200_101_000_000 + 2 * n + from}`.replace(/(\d\d)$/, (seconds) =>
          `${Math.min(59, Number(seconds))}`.padStart(2, '0'),
        ),
      })),
    );
  const other = writeWarc(folder, 'c', [
    { url: 'http://a.pond.test/x', time: '20200101000000' },
    { url: 'http://pondering.test/x', time: '20200101000000' },
  ]);
  const index = new ArchiveIndex([of('a', 0), of('b', 1), other].map((file) => ({ file })));
  const times: string[] = [];
  for await (const { time } of index.of('http://pond.test/page')) times.push(time);
  assert.equal(times.length, 401);
  assert.deepEqual(times, [...times].sort());
  let pages = 0;
  let shown = 0;
  for (let fromMs: number | null = 0; fromMs !== null; pages += 1) {
    const { rows, next } = await shownCaptures(index, 'http://pond.test/page', fromMs);
    shown += rows.length;
    fromMs = next === null ? null : Date.parse(next.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'));
  }
  assert.equal(shown, 401);
  assert.ok(pages >= 2);
  assert.deepEqual((await hostsOf(index)).hosts, ['pond.test', 'a.pond.test', 'pondering.test']);
  const { found } = await searched(index, surtOf('http://pond.test/'), '');
  assert.deepEqual(
    found.map(({ url }) => new URL(url).host.replace('www.', '')),
    ['pond.test', 'a.pond.test'],
  );
});
