/**
 * What strangers' bytes go into, as the product calls it: each with a few honest inputs, the words its format is made of, and
 * the promises that hold whatever the bytes.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { blankControl, blankLink, blankLinkGroup } from '../../schemas/blank.ts';
import { httpMessageOf } from '../../services/extras/archive/http-message.ts';
import { readWarc } from '../../services/extras/archive/warc-reader.ts';
import { codecOf } from '../../services/extras/urlfrontier/wire.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { crc32c } from '../../services/runtime/checksum/crc32c.ts';
import { createByteWriter } from '../../services/runtime/log/kafka/bytes.ts';
import { compressorOf, loadCodecs } from '../../services/runtime/log/kafka/compression/codecs.ts';
import { compressionNames } from '../../services/runtime/log/kafka/compression/names.ts';
import { readBatches, writeBatch } from '../../services/runtime/log/kafka/record-batch.ts';
import { languageOf } from '../../topology/content/language.ts';
import { hubLinks } from '../../topology/extras/push/hub-links.ts';
import { maxAgeMs } from '../../topology/fetch/cache-control.ts';
import { parseHttpDate } from '../../topology/fetch/http-date.ts';
import { redirectTarget } from '../../topology/fetch/redirect.ts';
import { retryAfterSeconds } from '../../topology/fetch/retry-after.ts';
import { readChangelog } from '../../topology/frontier/changes/changelog.ts';
import { parseDumpHead, parseDumpLine } from '../../topology/frontier/transfer/parse-dump-line.ts';
import { headerDirectives } from '../../topology/parse/directives.ts';
import { parsePage } from '../../topology/parse/page.ts';
import { parseSitemap } from '../../topology/parse/sitemap.ts';
import { isAllowed, parseRobots, sitemapValues } from '../../topology/robots/rules.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

export interface Target {
  readonly seeds: readonly Buffer[];
  readonly words?: readonly string[];
  /** Throws a CrawlstreamError on bytes that it refuses; anything else that is thrown is a finding. */
  run(input: Buffer): void | Promise<void>;
}

const texts = (...seeds: readonly string[]) => seeds.map((text) => Buffer.from(text));
const url = 'https://a.example.org/folder/page?x=1';
const normalize = compileNormalizer();

const html: Target = {
  seeds: texts(
    '<!doctype html><html lang=en><head><title>A &amp; b</title><base href="/x/"><meta name=robots content="nofollow, max-snippet:1">' +
      '<link rel=canonical href=/c><link rel=alternate hreflang=de href=/de><meta http-equiv=refresh content="1; url=/r"></head>' +
      '<body><h1>T</h1><p>Text <a href="/l?a=1#f" rel="nofollow ugc">link</a><img src=i srcset="a 1x, b 2x"><table><tr><td>1</table>' +
      '<script>let a = "</p>";</script><pre>code</pre><dl><dt>a<dd>b</dl></body></html>',
    '\ufeff<meta charset=shift_jis><title>x</title><a name=top><a href=//other.test/>y',
    '<?xml version="1.0" encoding="utf-16"?><html xmlns="http://www.w3.org/1999/xhtml"><body><a href="a"/></body></html>',
  ),
  words: [
    '<',
    '>',
    '<a href=',
    '</',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<script>',
    '<title>',
    '<table><tr><td>',
    '"',
    "'",
    '&#x',
    '&amp',
    ';',
    '<meta charset=',
    '<base href=',
    '\0',
    '<svg>',
    '<template>',
    '<plaintext>',
    '<p>',
    '<div>',
    'http://',
  ],
  run(input) {
    for (const contentType of [null, 'text/html; charset=utf-8']) {
      const options = {
        url,
        contentType,
        robotsTags: [],
        productToken: 'crawlstream',
        linksMax: 50,
        textCharsMax: 5_000,
        byteBudget: 2 ** 20,
        expired: () => false,
      };
      const page = parsePage(input, options);
      assert.ok(page.links.length <= 50 && new Set(page.links).size === page.links.length);
      assert.ok(page.text.length <= 5_000);
      for (const link of page.links) assert.ok(URL.canParse(link), link);
      languageOf(page.text, page.declaredLanguage);
    }
  },
};

const robots: Target = {
  seeds: texts(
    'User-agent: *\nDisallow: /a*b$\nAllow: /a%20c\nCrawl-delay: 2.5\n\nUser-agent: crawlstream\nDisallow:\nSitemap: https://a.test/s.xml\n',
    '\ufeffuser-agent:a\r\nuser-agent : crawlstream/1.0 # comment\rdisallow: /*?*=\r\nrequest-rate: 1/10\n',
  ),
  words: [
    'User-agent: ',
    'crawlstream',
    '*',
    '$',
    'Disallow: ',
    'Allow: ',
    '\n',
    '\r',
    '#',
    '%2',
    '%ff',
    '/',
    'Crawl-delay: ',
    'Sitemap: ',
    '1e9',
    '\0',
  ],
  run(input) {
    const rules = parseRobots(input, 'crawlstream', 'https://a.example.org/robots.txt');
    for (const path of ['/', '/a', '/a/b?c=d', '/a%20c', `/${'a'.repeat(200)}b`])
      isAllowed(rules, `https://a.example.org${path}`);
    // RFC 9309 §2.2.2: robots.txt itself is never denied.
    assert.equal(isAllowed(rules, 'https://a.example.org/robots.txt'), true);
    for (const value of sitemapValues(input)) assert.equal(typeof value, 'string');
  },
};

const sitemap: Target = {
  seeds: texts(
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="x"><url><loc>https://a.example.org/1</loc><lastmod>2026-01-01T00:00:00Z</lastmod><priority>0.5</priority><xhtml:link rel="alternate" href="https://a.example.org/de"/></url></urlset>',
    '<sitemapindex><sitemap><loc><![CDATA[https://a.example.org/s.xml]]></loc></sitemap></sitemapindex>',
    '<rss version="2.0"><channel><ttl>60</ttl><item><link>https://a.example.org/i</link><pubDate>Mon, 05 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>',
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/e"/><updated>2026-01-01T00:00:00+02:00</updated></entry></feed>',
    '{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"https://a.example.org/j","date_modified":"2026-01-01"}]}',
    'https://a.example.org/t\nhttps://a.example.org/u\n',
  ),
  words: [
    '<loc>',
    '</loc>',
    '<url>',
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE a [<!ENTITY b "c">]>',
    '&b;',
    '<?xml encoding="utf-16"?>',
    '{"items":[',
    '"url":',
    '\n',
    '<item>',
    '<entry>',
    'xmlns:',
  ],
  run(input) {
    for (const type of [null, 'application/json']) {
      const { entries } = parseSitemap(input, type, 'https://a.example.org/sitemap.xml');
      assert.ok(entries.length <= 50_000);
      for (const entry of entries) assert.ok(URL.canParse(entry.url), entry.url);
    }
  },
};

const urls: Target = {
  seeds: texts(
    'https://user@A.Example.org:443/a/../b/%7e?b=2&a=1&utm_source=x#f',
    'http://[::ffff:10.0.0.1]/',
    '//xn--mnchen-3ya.de/ä?ü',
    'http://0x7f.1/;jsessionid=1',
  ),
  words: [
    'http://',
    'https://',
    '/../',
    '/./',
    '%2e',
    '%',
    '?',
    '#',
    '@',
    ':',
    '[::',
    ']',
    'xn--',
    '\u00e4',
    '\t',
    '\\',
    ';',
    '&',
    '=',
    'utm_source=',
  ],
  run(input) {
    const text = input.toString('utf8');
    const once = normalize(text);
    if (once !== null) assert.equal(normalize(once), once, 'normal forms are their own');
  },
};

const headers: Target = {
  seeds: texts(
    'Mon, 05 Jan 2026 00:00:00 GMT',
    'Monday, 05-Jan-26 00:00:00 GMT',
    '120',
    'max-age=60, no-store',
    'nofollow, unavailable_after: 25 Jun 2030 15:00:00 PST',
    'crawlstream: noindex',
    '<https://hub.test/>; rel="hub", <https://a.test/f>; rel=self',
  ),
  words: [
    ',',
    ';',
    '=',
    '"',
    '<',
    '>',
    'rel=',
    'max-age=',
    'GMT',
    '99999999999999999999',
    'unavailable_after:',
    ' ',
    '\t',
    '//',
    'crawlstream:',
  ],
  run(input) {
    const value = input.toString('latin1');
    parseHttpDate(value);
    const seconds = retryAfterSeconds(value, 1_700_000_000_000);
    assert.ok(seconds === null || (seconds >= 0 && Number.isSafeInteger(seconds)), `${seconds} s`);
    assert.ok(maxAgeMs(value) >= 0);
    headerDirectives([value], 'crawlstream');
    const target = redirectTarget(url, 302, value);
    assert.ok(target === null || URL.canParse(target));
    hubLinks([value], value, url);
  },
};

const warcRecord = (type: string, block: string) =>
  `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Target-URI: ${url}\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`;
let warcFile: string | undefined;
const warc: Target = {
  seeds: texts(
    warcRecord('warcinfo', 'a: b'),
    warcRecord(
      'response',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n4\r\nabcd\r\n0\r\n\r\n',
    ),
  ),
  words: [
    'WARC/1.0\r\n',
    'Content-Length: ',
    '\r\n',
    '\r\n\r\n',
    'WARC-Type: response',
    'HTTP/1.1 200',
    'chunked',
    '9999999',
    'ffffffff',
    '\x1f\x8b',
  ],
  async run(input) {
    warcFile ??= join(temporaryFolder(), 'fuzzed.warc');
    writeFileSync(warcFile, input);
    for await (const { block } of readWarc(warcFile)) httpMessageOf(block);
  },
};

const codec = await openCodec(createMemoryRegistry(), 'fuzz');
const avroTopics = ['discovered', 'tasks', 'results', 'pages', 'control', 'dead-letters'] as const;
const avro: Target = {
  seeds: [
    codec.encode('control', { ...blankControl, kind: 'policy' }),
    codec.encode('discovered', { groups: [{ ...blankLinkGroup, links: [{ ...blankLink, url }] }] }),
  ].filter((bytes) => bytes.length > 0),
  run(input) {
    for (const topic of avroTopics) {
      const header = codec.encode('control', blankControl).subarray(0, 10);
      try {
        codec.decode(topic, input);
      } finally {
        // The same bytes under a header that is known.
        try {
          codec.decode('control', Buffer.concat([header, input.subarray(10)]));
        } catch {}
      }
    }
  },
};

await loadCodecs();
const batch = (codecName: (typeof compressionNames)[number]) => {
  const writer = createByteWriter(16);
  const records = ['a', 'bc', 'd'.repeat(200)].map((text) => ({
    record: {
      topic: 't',
      partition: 0,
      key: Buffer.from('k'),
      value: Buffer.from(text),
      headers: { h: Buffer.from('v') },
    },
    timestampMs: 1_700_000_000_000,
  }));
  writeBatch(writer, records as never, { id: 1, epoch: 0, sequence: 0 }, compressorOf(codecName));
  return Buffer.from(writer.buffer);
};
/** Behind the checksum, which a producer gets right: base, length, epoch, magic and CRC are 21 bytes. */
const batches: Target = {
  // Of zstd, Node 20 reads what others wrote; the words of its frames are among the edits.
  seeds: compressionNames.filter((name) => name !== 'zstd' || 'zstdCompressSync' in zlib).map(batch),
  run(input) {
    const bytes = Buffer.from(input);
    if (bytes.length > 61) {
      bytes.writeInt32BE(bytes.length - 12, 8);
      bytes[16] = 2;
      // The broker's own, as the deltas are that it checks: where the batch stands in its log.
      bytes.writeBigInt64BE(0n);
      bytes.writeInt32BE(crc32c(bytes, 21), 17);
    }
    const { records, next } = readBatches(bytes, 't', 0, 0, []);
    assert.ok(Number.isSafeInteger(next) && records.every(({ offset }) => Number.isSafeInteger(offset)));
  },
};

const golden = JSON.parse(
  readFileSync(new URL('../topology/frontier/changes/golden-1.json', import.meta.url), 'utf8'),
) as {
  readonly changes: Readonly<Record<string, readonly string[]>>;
  readonly claims: string[];
  readonly commit: string;
};
const commit = Buffer.from(golden.commit, 'hex');
const changelog: Target = {
  seeds: [
    ...golden.claims.map((claim) => Buffer.from(claim, 'hex')),
    ...Object.values(golden.changes).flatMap((examples) =>
      examples.map((change) => Buffer.concat([commit, Buffer.from(change, 'hex')])),
    ),
  ],
  run(input) {
    const record = readChangelog(input);
    if (record.kind === 'commit') for (const change of record.changes) assert.ok(change.kind);
  },
};

const messages = [
  'GetParams',
  'URLItem',
  'QueueWithinCrawlParams',
  'BlockQueueParams',
  'QueueDelayParams',
  'LogLevelParams',
];
const grpc: Target = {
  seeds: [
    codecOf('URLItem').encode({
      known: { info: { url, key: 'a.test', crawlID: 'c' }, refetchableFromDate: 1 },
    } as never),
    Buffer.from([0x0a, 0xff]),
  ],
  run(input) {
    for (const name of messages) {
      try {
        codecOf(name).decode(input);
      } catch (error) {
        // It may refuse them, in protobuf's own words (RangeError among them); a TypeError would be a bug.
        assert.ok(!(error instanceof TypeError), `${name}: ${(error as Error).stack}`);
      }
    }
  },
};

const dump: Target = {
  seeds: texts(
    '{"dump":"crawlstream","version":1,"id":"i","crawl":"c","keyMode":"host","fingerprintKey":"k","partitions":1,"seenKeyVersion":1,"seeds":[]}',
    '{"url":"https://a.test/","in":"queued","host":"a.test","depth":0,"hop":0,"band":1}',
    '{"host":"a.test","facts":{"readyAtMs":0}}',
    '{"budget":"a.test","period":1,"used":2,"hosts":[],"sources":[]}',
  ),
  words: [
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"url":',
    '"host":',
    '"in":',
    '-1',
    '1e999',
    'null',
    'true',
    '"__proto__":',
    '"facts":',
    '"budget":',
    '"letter":',
    '"links":',
  ],
  run(input) {
    const text = input.toString('utf8');
    for (const read of [() => parseDumpLine(text, 7), () => parseDumpHead(text)]) {
      try {
        read();
      } catch (error) {
        if (!(error instanceof Error && error.constructor.name === 'CrawlstreamError')) throw error;
      }
    }
  },
};

export const targets: Readonly<Record<string, Target>> = {
  html,
  robots,
  sitemap,
  urls,
  headers,
  warc,
  avro,
  batches,
  changelog,
  grpc,
  dump,
};
