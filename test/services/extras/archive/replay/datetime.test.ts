/** Times of captures, as people write them in paths and programs in headers (RFC 7089, RFC 9110 §5.6.7). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedMemento, askedUrl } from '../../../../../services/extras/archive/replay/asked-url.ts';
import { partOf, rangeOf } from '../../../../../services/extras/archive/replay/byte-range.ts';
import { captureOfLine } from '../../../../../services/extras/archive/replay/capture.ts';
import {
  httpDateOf,
  msOfDigits,
  msOfHttpDate,
  shownTime,
} from '../../../../../services/extras/archive/replay/datetime.ts';

test('digits of a time that are missing are the earliest', () => {
  for (const [digits, iso] of [
    ['2026', '2026-01-01T00:00:00.000Z'],
    ['202602', '2026-02-01T00:00:00.000Z'],
    ['20260203', '2026-02-03T00:00:00.000Z'],
    ['2026020304', '2026-02-03T04:00:00.000Z'],
    ['202602030405', '2026-02-03T04:05:00.000Z'],
    ['20260203040506', '2026-02-03T04:05:06.000Z'],
    ['19960229235959', '1996-02-29T23:59:59.000Z'],
  ] as const)
    assert.equal(new Date(msOfDigits(digits) ?? Number.NaN).toISOString(), iso);
  for (const digits of [
    '',
    '202',
    '20260',
    '202613',
    '20260100',
    '20260132',
    '2026010124000x',
    '202601010000000',
    '2026010125',
  ])
    assert.equal(msOfDigits(digits), null, digits);
});

test('a date is understood in the form of HTTP only', () => {
  const ms = Date.UTC(1994, 10, 6, 8, 49, 37);
  assert.equal(msOfHttpDate('Sun, 06 Nov 1994 08:49:37 GMT'), ms);
  assert.equal(msOfHttpDate(' Sun, 06 Nov 1994 08:49:37 GMT '), ms);
  assert.equal(httpDateOf(ms), 'Sun, 06 Nov 1994 08:49:37 GMT');
  for (const other of [
    ...['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37Z', ''],
    ...['Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 +0000', 'Sun, 06 Nov 1994 25:49:37 GMT'],
  ])
    assert.equal(msOfHttpDate(other), null, other);
});

test('a time is shown to people with its parts apart, and anything else as it is', () => {
  assert.equal(shownTime('20260203040506'), '2026-02-03 04:05:06');
  assert.equal(shownTime('2026'), '2026');
});

test('a URL is understood without a scheme and with a lost slash, and loses its fragment', () => {
  for (const [text, url] of [
    ['http://a.test/x?y#z', 'http://a.test/x?y'],
    ['https://A.test', 'https://a.test/'],
    ['HTTP:/a.test/x', 'http://a.test/x'],
    ['https:///a.test/', 'https://a.test/'],
    ['a.test:8080/x', 'http://a.test:8080/x'],
    ['a.test/http://b.test/', 'http://a.test/http://b.test/'],
  ] as const)
    assert.equal(askedUrl(text), url, text);
  for (const text of ['', 'ftp://a.test/', 'http://', 'http://a b/']) assert.equal(askedUrl(text), null, text);
});

test('a memento is named by digits and a URL, with the modifiers of other players passed over', () => {
  const url = 'http://a.test/';
  assert.deepEqual(askedMemento(`2026/${url}`), { digits: '2026', url });
  assert.deepEqual(askedMemento(`20260203040506mp_/${url}`), { digits: '20260203040506', url });
  assert.deepEqual(askedMemento(url), { digits: undefined, url });
  assert.deepEqual(askedMemento('123/x'), { digits: undefined, url: 'http://0.0.0.123/x' });
  assert.deepEqual(askedMemento('2026xyz_/x').digits, undefined);
  assert.deepEqual(askedMemento('2026/ftp://a.test/'), { digits: '2026', url: null });
});

test('a range is one of bytes within the body (RFC 9110 §14)', () => {
  for (const [header, range] of [
    ['bytes=0-0', { first: 0, last: 0 }],
    [' bytes=2-5 ', { first: 2, last: 5 }],
    ['bytes=-99', { first: 0, last: 9 }],
    ['bytes=0-', { first: 0, last: 9 }],
    ['bytes=9-9', { first: 9, last: 9 }],
    ['bytes=-0', 'none'],
    ['bytes=10-12', 'none'],
    ['bytes=5-4', null],
    ['bytes=-', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    [undefined, null],
  ] as const)
    assert.deepEqual(rangeOf(header, 10), range, header);
  assert.equal(rangeOf('bytes=-1', 0), 'none');
  assert.equal(rangeOf('bytes=0-', 0), 'none');
});

test('a part of a body is the same wherever its pieces end, and no more of the body is read', async () => {
  const body = '0123456789';
  for (let cut = 0; cut <= body.length; cut++)
    for (const [first, last] of [
      [0, 9],
      [3, 6],
      [9, 9],
      [0, 0],
    ] as const) {
      let read = 0;
      const pieces = async function* () {
        for (const piece of [body.slice(0, cut), body.slice(cut), 'more']) {
          read += piece.length;
          yield Buffer.from(piece);
        }
      };
      const parts: Buffer[] = [];
      for await (const part of partOf(pieces(), { first, last })) parts.push(part);
      assert.equal(Buffer.concat(parts).toString(), body.slice(first, last + 1), `${first} to ${last}, cut at ${cut}`);
      assert.ok(parts.every(({ length }) => length > 0));
      assert.ok(read <= 10, `${read}`);
    }
});

test('a line of an index is a capture if all of its fields are valid', () => {
  const fields = {
    ...{ url: 'http://A.test/x#y', mime: 'text/html', status: '404', digest: 'sha1:AB' },
    ...{ offset: '0', length: '1', filename: 'f.warc.gz' },
  };
  const fileOf = (name: string) => (name === 'f.warc.gz' ? '/d/f.warc.gz' : undefined);
  const of = (more: Readonly<Record<string, unknown>> = {}, head = 'test,a)/x 20260203040506') =>
    captureOfLine(`${head} ${JSON.stringify({ ...fields, ...more })}`, fileOf);
  assert.deepEqual(of(), {
    ...{ key: 'test,a)/x', time: '20260203040506', atMs: Date.UTC(2026, 1, 3, 4, 5, 6), url: 'http://a.test/x' },
    ...{ mime: 'text/html', status: 404, digest: 'AB', file: '/d/f.warc.gz', offset: 0, length: 1 },
  });
  const bare = of({ mime: undefined, status: undefined, digest: undefined });
  assert.deepEqual([bare?.mime, bare?.status, bare?.digest], ['', 0, '']);
  assert.equal(of({ status: '-' })?.status, 0);
  assert.equal(of({ offset: 7, length: 8 })?.offset, 7);
  for (const more of [
    ...[{ offset: '-1' }, { offset: 'x' }, { offset: '0.5' }, { length: '0' }, { length: 'x' }],
    ...[{ filename: 'g.warc.gz' }, { filename: 7 }, { url: 'no URL' }, { url: 'ftp://a.test/' }, { url: undefined }],
  ])
    assert.equal(of(more), null, JSON.stringify(more));
  for (const head of ['test,a)/x', 'test,a)/x 2026020304050', 'test,a)/x 20261303040506', ' 20260203040506'])
    assert.equal(of({}, head), null, head);
  assert.equal(captureOfLine('test,a)/x 20260203040506 {"url":}', fileOf), null);
});
