/** Which capture of a URL is shown for a time, its neighbours, and the lists of all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArchiveIndex, type Survey } from '../../../../../services/extras/archive/replay/archive-index.ts';
import { hostsOf, monthsOf, searched, shownCaptures } from '../../../../../services/extras/archive/replay/listed.ts';
import { openMemento } from '../../../../../services/extras/archive/replay/memento.ts';
import { jsonTimeMap, linkHeader, linkTimeMap } from '../../../../../services/extras/archive/replay/timemap.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { writeWarc } from './warc-file.ts';

const url = 'http://a.test/page';
const day = (number: number) => `2026010${number}000000`;
const atMs = (number: number) => Date.UTC(2026, 0, number);
const folder = temporaryFolder();
const moved = 'HTTP/1.1 301 Moved\r\nLocation: /page';
const index = new ArchiveIndex(
  [
    writeWarc(folder, 'one', [
      { url, time: day(1), body: 'first', digest: 'ONE' },
      { url, time: day(5), body: 'third' },
      { url: 'https://www.a.test/page', time: day(4), head: moved },
      { url: 'http://sub.a.test/', time: '20260301000000', body: 'of a subdomain' },
      {
        url: 'http://a.test/z.css',
        time: day(2),
        mime: 'text/css',
        body: 'p{}',
      },
    ]),
    writeWarc(folder, 'two', [
      { url, time: day(3), body: 'second' },
      { url, time: day(8), type: 'revisit', digest: 'ONE', head: 'HTTP/1.1 200 OK\r\nX-Later: yes' },
      { url: 'http://a.test/page/more', time: day(2), body: 'more' },
      { url: 'http://ab.test/', time: day(2), body: 'another host' },
    ]),
  ].map((file) => ({ file })),
);

async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of of) found.push(one);
  return found;
}

async function surveyed(at: number): Promise<Survey> {
  return (await index.survey(url, at)) ?? assert.fail('there is no capture');
}

const timesOf = ({ captures, best, first, last, before, after }: Survey) => ({
  captures,
  ...{ best: best.time, first: first.time, last: last.time },
  ...{ before: before?.time ?? null, after: after?.time ?? null },
});

test('the captures of several files are one list, ordered by time', async () => {
  assert.deepEqual(
    (await all(index.of(url))).map(({ time }) => time),
    [1, 3, 4, 5, 8].map(day),
  );
  assert.equal(await index.survey('http://a.test/none', atMs(1)), null);
});

test('the capture nearest to a time is shown, and a redirect of another spelling only if there is nothing else', async () => {
  const ends = { captures: 5, first: day(1), last: day(8) };
  assert.deepEqual(timesOf(await surveyed(atMs(1))), { ...ends, best: day(1), before: null, after: day(3) });
  assert.deepEqual(timesOf(await surveyed(atMs(4) - 1)), { ...ends, best: day(3), before: day(1), after: day(4) });
  assert.deepEqual(timesOf(await surveyed(atMs(4) + 1)), { ...ends, best: day(5), before: day(4), after: day(8) });
  assert.deepEqual(timesOf(await surveyed(atMs(99))), { ...ends, best: day(8), before: day(5), after: null });
});

test('the Link header names original, gate, map, ends and neighbours, each capture once', async () => {
  const relsOf = (header: string) =>
    [...header.matchAll(/<([^>]*)>; rel="([^"]*)"/g)].map(([, target, rel]) => [target!.replace('o:', ''), rel]);
  const fixed = [
    [url, 'original'],
    [`/timegate/${url}`, 'timegate'],
    [`/timemap/link/${url}`, 'timemap'],
  ];
  const place = (number: number) => `/web/${day(number)}/${url}`;
  assert.deepEqual(relsOf(linkHeader('o:', url, await surveyed(atMs(1)))), [
    ...fixed,
    [place(1), 'first memento'],
    [place(8), 'last memento'],
    [place(3), 'next memento'],
  ]);
  const middle = linkHeader('o:', url, await surveyed(atMs(3)));
  assert.deepEqual(relsOf(middle).slice(3), [
    [place(1), 'first prev memento'],
    [place(8), 'last memento'],
    [`/web/${day(4)}/https://www.a.test/page`, 'next memento'],
    [place(3), 'memento'],
  ]);
  assert.match(middle, /datetime="Sat, 03 Jan 2026 00:00:00 GMT"/);
});

test('a TimeMap lists every capture, with its ends', async () => {
  const survey = await surveyed(atMs(3));
  const text = (await all(linkTimeMap(index, 'o:', url, survey))).join('');
  assert.match(text, /from="Thu, 01 Jan 2026 00:00:00 GMT"; until="Thu, 08 Jan 2026 00:00:00 GMT"/);
  assert.deepEqual(
    [...text.matchAll(/rel="([^"]*memento)"/g)].map(([, rel]) => rel),
    ['first memento', 'memento', 'memento', 'memento', 'last memento'],
  );
  const { mementos } = JSON.parse((await all(jsonTimeMap(index, 'o:', url, survey))).join(''));
  assert.equal(mementos.first.datetime, '2026-01-01T00:00:00Z');
  assert.equal(mementos.last.uri, `o:/web/${day(8)}/${url}`);
  assert.deepEqual(
    mementos.list.map(({ status }: { status: number }) => status),
    [200, 200, 301, 200, 200],
  );
});

test('a revisit is shown with the payload that it refers to, and its own headers', async () => {
  const { best } = await surveyed(atMs(8));
  const memento = await openMemento(index, best);
  assert.equal(Buffer.concat(await all(memento.body)).toString(), 'first');
  assert.ok(memento.headers.includes('x-later'));
  await memento.close();
});

test('the payload of a revisit is the capture of its second, or else the one with its digest', async () => {
  const timeOf = async (at: number | null, digest: string) => (await index.payload(url, at, digest))?.time ?? null;
  assert.equal(await timeOf(atMs(3) + 999, ''), day(3));
  assert.equal(await timeOf(null, 'ONE'), day(1));
  assert.equal(await timeOf(atMs(5), 'ONE'), day(5));
  assert.equal(await timeOf(null, 'OTHER'), null);
  assert.equal(await timeOf(atMs(8), ''), null, 'a revisit has no payload');
});

test('hosts, months and URLs of an archive are listed', async () => {
  assert.deepEqual(await hostsOf(index), { hosts: ['a.test', 'sub.a.test', 'ab.test'], isMore: false });
  assert.deepEqual([...(await monthsOf(index, url))], [['2026-01', 5]]);
  const keys = async (prefix: string, after = '', withParts = false) =>
    (await searched(index, prefix, after, withParts)).found.map(({ key }) => key);
  assert.deepEqual(await keys('test,a)/'), ['test,a)/page', 'test,a)/page/more', 'test,a,sub)/']);
  assert.deepEqual(await keys('test,a)/z', '', true), ['test,a)/z.css']);
  assert.deepEqual(await keys('test,a)/z'), [], 'a page’s style is no page');
  assert.deepEqual(await keys('test,a)/page'), ['test,a)/page', 'test,a)/page/more']);
  assert.deepEqual(await keys('test,a)/', 'test,a)/page'), ['test,a)/page/more', 'test,a,sub)/']);
  assert.deepEqual(
    (await shownCaptures(index, url, atMs(4))).rows.map(({ time }) => time),
    [4, 5, 8].map(day),
  );
});

test('another scheme or www counts like the spelling asked for, another path comes after, and a redirect last', async () => {
  const asked = 'http://a.test/Page';
  const same = 'https://www2.a.test/Page';
  const other = 'http://a.test/page';
  const redirect = { url: 'https://a.test/Page', head: moved };
  const bestOf = async (...records: readonly { readonly url: string; readonly head?: string }[]) => {
    // The one that is wanted is the furthest in time.
    const file = writeWarc(
      temporaryFolder(),
      'spelled',
      records.map((one, n) => ({ ...one, time: day(9 - n) })),
    );
    const found = await new ArchiveIndex([{ file }]).survey(asked, atMs(1));
    return found?.best.url;
  };
  assert.equal(await bestOf({ url: asked }, { url: other }, redirect), asked);
  assert.equal(await bestOf({ url: asked }, { url: same }), same);
  assert.equal(await bestOf({ url: same }, { url: other }, redirect), same);
  assert.equal(await bestOf({ url: other }, redirect), other);
  assert.equal(await bestOf(redirect), redirect.url);
  assert.equal(await bestOf({ url: asked, head: moved }, { url: other }, redirect), asked);
});

test('of two captures equally near in time, the first counts, unless the other has the spelling asked for', async () => {
  const at = (url: string, number: number, body: string) => ({ url, time: day(number), body });
  const bestOf = async (
    ...records: readonly { readonly url: string; readonly time: string; readonly body: string }[]
  ) => {
    const file = writeWarc(temporaryFolder(), 'near', records);
    const { best } = (await new ArchiveIndex([{ file }]).survey(url, atMs(4))) ?? assert.fail('there is no capture');
    return [best.url, best.time];
  };
  assert.deepEqual(await bestOf(at(url, 3, ''), at(url, 5, '')), [url, day(3)]);
  assert.deepEqual(await bestOf(at(url, 2, ''), at(url, 5, '')), [url, day(5)]);
});
