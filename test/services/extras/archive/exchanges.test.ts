import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readExchanges } from '../../../../services/extras/archive/exchanges.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface Part {
  readonly type: string;
  readonly id?: string;
  readonly fields?: readonly string[];
  readonly block?: string;
}

const http = 'HTTP/1.1 200 OK\r\n\r\nx';
const response = (id: string): Part => ({ type: 'response', id, block: http });
const about = (id: string, block: string, by = 'WARC-Concurrent-To'): Part => ({
  type: 'metadata',
  fields: [`${by}: ${id}`],
  block,
});

/** Of each answer: its ID, what it was for, and its depth. */
async function exchangesOf(...parts: readonly Part[]) {
  const file = join(temporaryFolder(), 'x.warc');
  const records = parts.map(({ type, id, fields = [], block = 'x' }) =>
    [
      'WARC/1.1',
      `WARC-Type: ${type}`,
      ...(id === undefined ? [] : [`WARC-Record-ID: ${id}`]),
      ...fields,
      `Content-Length: ${Buffer.byteLength(block)}`,
      '',
      `${block}\r\n\r\n`,
    ].join('\r\n'),
  );
  writeFileSync(file, records.join(''));
  const reported: unknown[] = [];
  for await (const { answer, kind, depth } of readExchanges(file))
    reported.push([answer.fields.get('warc-record-id'), kind, depth]);
  return reported;
}

test('each response gets the metadata that follows it', async () => {
  const reported = await exchangesOf(
    { type: 'warcinfo' },
    response('<1>'),
    { type: 'request' },
    about('<1>', 'requestedAs: page\r\ndepth: 3\r\n'),
    { ...response('<2>'), type: 'revisit' },
    about('<2>', 'requestedAs: robots', 'WARC-Refers-To'),
    response('<3>'),
  );
  assert.deepEqual(reported, [
    ['<1>', 'page', 3],
    ['<2>', 'robots', undefined],
    ['<3>', '', undefined],
  ]);
});

test('metadata of another response, or of none, is ignored', async () => {
  const reported = await exchangesOf(
    about('<1>', 'depth: 1'),
    response('<1>'),
    about('<0>', 'depth: 2'),
    { type: 'metadata', block: 'depth: 3' },
    { type: 'response', block: http },
    { type: 'metadata', block: 'depth: 4' },
  );
  assert.deepEqual(reported, [
    ['<1>', '', undefined],
    [undefined, '', undefined],
  ]);
});

test('the depth of a sitemap is that of its links, one more than its own', async () => {
  for (const [block, kind, depth] of [
    ['requestedAs: sitemap\ndepth: 2', 'sitemap', 1],
    ['requestedAs: sitemap\ndepth: 0', 'sitemap', 0],
    ['REQUESTEDAS: requisite\nDEPTH:2', 'requisite', 2],
    ['depth: 999999', '', 999_999],
    ['depth: 1000000', '', undefined],
    ['depth: -1', '', undefined],
  ] as const)
    assert.deepEqual(await exchangesOf(response('<1>'), about('<1>', block)), [['<1>', kind, depth]], block);
});

test('Heritrix’s hops from the seed give the depth; embeds do not count', async () => {
  for (const [block, depth] of [
    ['seed: ', 0],
    ['via: http://a.test/', undefined],
    ['hopsFromSeed: ', 0],
    ['hopsFromSeed: LLL', 3],
    ['hopsFromSeed: LRPEML', 2],
    ['hopsFromSeed: E', 0],
    ['hopsFromSeed: LX', 2],
    ['hopsFromSeed: 3L', undefined],
    ['depth: 5\nhopsFromSeed: L', 5],
    ['seed: \nhopsFromSeed: L', 1],
    [':\n:x\nno field\nhopsFromSeed: L', 1],
  ] as const)
    assert.deepEqual(await exchangesOf(response('<1>'), about('<1>', block)), [['<1>', '', depth]], block);
});
