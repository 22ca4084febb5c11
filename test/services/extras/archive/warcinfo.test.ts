/** The records of an archive in the form of the standard (WARC 1.1): heads, ids, dates, and the first record of a file. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { blankResponse } from '../../../../schemas/blank.ts';
import {
  digestOf,
  namedDigest,
  recordId,
  warcBytes,
  warcDate,
} from '../../../../services/extras/archive/warc-record.ts';
import { warcinfo } from '../../../../services/extras/archive/warcinfo.ts';

const options = { crawl: 'pond', version: '1.2.3' };
const infoOf = (requestHeaders: readonly string[], more = {}, given = {}) =>
  warcinfo('pond-1', { ...blankResponse, requestHeaders, ...more }, { ...options, ...given }).block.toString();

test('the first record of a file names program, crawl, operator and the headers of requests', () => {
  const first = warcinfo(
    'pond-1',
    { ...blankResponse, fetchedAtMs: 7, requestHeaders: ['user-agent', 'x (+http://a.test/bot)', 'from', 'me@a.test'] },
    options,
  );
  assert.deepEqual([first.type, first.contentType, first.atMs], ['warcinfo', 'application/warc-fields', 7]);
  assert.deepEqual(first.fields, [['WARC-Filename', 'pond-1.warc.gz']]);
  assert.equal(
    first.block.toString(),
    [
      'software: crawlstream/1.2.3',
      'format: WARC File Format 1.1',
      'conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
      'isPartOf: pond',
      'operator: me@a.test',
      'robots: obey',
      'http-header-user-agent: x (+http://a.test/bot)',
      'http-header-from: me@a.test',
      '',
    ].join('\r\n'),
  );
});

test('the operator of a file is the one named, else the contact of the requests', () => {
  const operatorOf = (text: string) => /^operator: (.*)\r$/m.exec(text)?.[1];
  const agent = ['user-agent', 'x/1 (+http://a.test/bot) y'];
  assert.equal(operatorOf(infoOf([...agent, 'from', 'me@a.test'], {}, { operator: 'Ponds\r\nInc' })), 'Ponds Inc');
  assert.equal(operatorOf(infoOf([...agent, 'from', 'me@a.test'])), 'me@a.test');
  assert.equal(operatorOf(infoOf(agent)), 'http://a.test/bot');
  assert.equal(operatorOf(infoOf(['user-agent', 'x (http://a.test)'])), undefined);
  assert.equal(operatorOf(infoOf([])), undefined);
  // Values are no names, whatever they are equal to.
  assert.equal(operatorOf(infoOf(['x-name', 'from', 'from', 'me@a.test'])), 'me@a.test');
  assert.equal(operatorOf(infoOf(['x-name', 'from'])), undefined);
});

test('the policy of a file is named if there is one', () => {
  const text = infoOf([], { policyVersion: 3, policyHash: 'abc' });
  assert.match(text, /policyVersion: 3\r\npolicyHash: abc\r\n$/);
  assert.doesNotMatch(infoOf([]), /policy/);
});

test('a record begins with its version, named fields and length, and ends with two line ends', () => {
  const record = {
    type: 'metadata',
    identity: 'x',
    atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    contentType: 'a/b',
  } as const;
  const bytes = warcBytes({ ...record, url: 'http://a.test/', fields: [['X-A', 'b']], block: Buffer.from('größe') });
  const [head, block] = bytes.toString().split('\r\n\r\n', 2);
  const lines = head!.split('\r\n');
  assert.equal(lines[0], 'WARC/1.1');
  assert.deepEqual(
    new Set(lines.slice(1)),
    new Set([
      'WARC-Type: metadata',
      `WARC-Record-ID: ${recordId('x')}`,
      'WARC-Date: 2026-01-02T03:04:05.006Z',
      'WARC-Target-URI: http://a.test/',
      'X-A: b',
      `WARC-Block-Digest: ${digestOf(Buffer.from('größe'))}`,
      'Content-Type: a/b',
      'Content-Length: 7',
    ]),
  );
  assert.equal(block, 'größe');
  assert.ok(bytes.toString().endsWith('größe\r\n\r\n'));
});

test('the id of a record is a UUID of version 5 (RFC 4122 §4.3), the same for the same record', () => {
  // Python: uuid.UUID(bytes=hashlib.sha1(text.encode()).digest()[:16], version=5)
  for (const [identity, uuid] of [
    ['x', '11f6ad8e-c52a-5984-abaa-fd7c3b516503'],
    ['größe', '93c6a3ac-f1b4-51be-ba25-d8a45a3ccd71'],
    ['pond-1 warcinfo', '5382c1bd-153c-5ceb-ba6f-a19acf13a735'],
    ['frog', 'b3e0f62f-a104-5ac6-a855-9c68d231b6bd'],
  ] as const)
    assert.equal(recordId(identity), `<urn:uuid:${uuid}>`);
});

test('a digest is SHA-1 in base32 without padding (RFC 4648 §6)', () => {
  // `printf gone | sha1sum | xxd -r -p | base32` of coreutils.
  assert.equal(digestOf(Buffer.from('gone')), 'sha1:U3P55KR2ISSMKLKEFBEEPVYWBCJLIAL6');
  assert.equal(digestOf(Buffer.alloc(0)), 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ');
  assert.equal(namedDigest(createHash('sha1').update('gone').digest()), digestOf(Buffer.from('gone')));
});

test('a date of a record has milliseconds, and is UTC', () => {
  assert.equal(warcDate(0), '1970-01-01T00:00:00.000Z');
  assert.equal(warcDate(1_767_323_045_006), '2026-01-02T03:04:05.006Z');
});
