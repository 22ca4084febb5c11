/** JSON Feed, as it comes in pieces. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createJsonFeedReader } from '../../../topology/parse/json-feed.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';

const version = 'https://jsonfeed.org/version/1.1';

function read(...pieces: readonly string[]) {
  const reader = createJsonFeedReader();
  for (const piece of pieces) reader.write(piece);
  assert.deepEqual([reader.form, reader.take()], [null, []], 'nothing is known before its end');
  reader.end();
  const found = reader.take();
  assert.deepEqual(reader.take(), [], 'each is given once');
  assert.equal(reader.pollMs, 0, 'it has no word for that');
  return { form: reader.form, found };
}

const of = (...items: readonly unknown[]) => read(JSON.stringify({ version, items })).found;

describe('a JSON Feed', () => {
  it('a JSON Feed is read in any pieces', () => {
    const text = JSON.stringify({ version, items: [{ url: ' /1 ' }, { url: '/2' }] });
    const pieces = text.match(/.{1,7}/g)!;
    assert.deepEqual(read(...pieces), {
      form: 'feed',
      found: [
        { location: '/1', lastModifiedMs: 0 },
        { location: '/2', lastModifiedMs: 0 },
      ],
    });
  });

  it('a JSON Feed of the maximum length is read, and one character more is not', () => {
    const empty = JSON.stringify({ version, items: [{ url: '/1' }], title: '' });
    const padded = (chars: number) => empty.replace('"title":""', `"title":"${'x'.repeat(chars - empty.length)}"`);
    assert.equal(read(padded(parseLimits.jsonFeedCharsMax)).found.length, 1);
    const long = padded(parseLimits.jsonFeedCharsMax + 1);
    assert.deepEqual(read(long), { form: null, found: [] });
    assert.deepEqual(read(long.slice(0, 9), long.slice(9)), { form: null, found: [] });
  });

  it('a JSON Feed has a version and a list of items, or is invalid', () => {
    assert.equal(read(JSON.stringify({ version, items: [] })).form, 'feed');
    for (const other of [
      { version },
      { version, items: {} },
      { items: [] },
      { version: 1, items: [] },
      { version: 'x', items: [] },
    ])
      assert.equal(read(JSON.stringify(other)).form, null, JSON.stringify(other));
    for (const text of ['', '{', '7', 'null']) assert.equal(read(text).form, null, text);
  });

  it('a JSON Feed names pages by url, by external_url, or by an id that is a URL', () => {
    const items = [
      { url: '/1', external_url: '/x', id: '/y' },
      { url: ' ', external_url: 'https://b.test/2', id: '/y' },
      { id: 'HTTP://a.test/3' },
      { url: '/4', id: '/4' },
      { id: '5' },
      { id: 'tag:a.test,6' },
      { url: 7 },
      {},
      null,
      'https://a.test/8',
    ];
    assert.deepEqual(
      of(...items).map(({ location }) => location),
      ['/1', 'https://b.test/2', 'HTTP://a.test/3'],
    );
  });

  it('a JSON Feed dates items by their change, else by publication; an invalid date, or one before 1970, is unknown', () => {
    const [earlier, later] = ['2020-02-01T00:00:00Z', '2020-02-02T00:00:00Z'];
    const items = [
      { date_modified: later, date_published: earlier },
      { date_published: earlier },
      { date_modified: 'soon', date_published: earlier },
      { date_modified: 7 },
      { date_modified: 'soon' },
      { date_modified: '1960-01-01T00:00:00Z' },
    ];
    assert.deepEqual(
      of(...items.map((item) => ({ url: '/1', ...item }))).map(({ lastModifiedMs }) => lastModifiedMs),
      [Date.UTC(2020, 1, 2), Date.UTC(2020, 1, 1), Date.UTC(2020, 1, 1), 0, 0, 0],
    );
  });
});
