/** What requests are sent with and what is made of what comes back, by every rule, as it was when it was kept. */
import { it } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { hostFits } from '../../../../services/fetcher/connect/host-pattern.ts';
import { createProxyChoice } from '../../../../services/fetcher/connect/proxy-choice.ts';
import { proxyAuthorization, takesWholeUrls } from '../../../../services/fetcher/connect/proxy-tunnel.ts';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { decodeBody } from '../../../../services/fetcher/http/content-coding.ts';
import { headerOf, headersFromRaw, headersOf } from '../../../../services/fetcher/http/headers.ts';
import { productTokensOf, requestHeaders } from '../../../../services/fetcher/http/identity.ts';
import { compileRequestRules } from '../../../../services/fetcher/http/request-rules.ts';
import { requestRulesSchema } from '../../../../services/fetcher/http/request-rules-schema.ts';
import { extractRulesSchema } from '../../../../services/fetcher/pages/extract-rules.ts';
import { type FieldRule, selectFields } from '../../../../services/fetcher/pages/select-fields.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import { fieldTypes } from '../../../../topology/parse/rich/field-value.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../../kept/drawn.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);
const coders = {
  gzip: gzipSync,
  deflate: deflateSync,
  'deflate-raw': deflateRawSync,
  br: brotliCompressSync,
  identity: (bytes: Buffer) => bytes,
} as const;
const codings = Object.keys(coders) as (keyof typeof coders)[];

async function decoded(draw: Draw): Promise<unknown[]> {
  const parts: unknown[] = [];
  for (let round = 0; round < 14; round++) {
    const plain = Buffer.from(
      draw.list(draw.of([0, 3, 400, 20_000]), () => String.fromCharCode(97 + draw.below(20))).join(''),
    );
    const used = draw.list(draw.of([1, 1, 1, 2, 3, 6]), () => draw.of(codings));
    const packed = used.reduce((bytes: Buffer, one) => coders[one](bytes), plain);
    const name = used.map((one) => (one === 'deflate-raw' ? 'deflate' : one)).join(draw.of([',', ', ', ' , ']));
    const shown = draw.percent(85) ? name : draw.of(['', 'none', 'identity', 'GZIP', 'compress', ' x-gzip ', 'gzip,']);
    const most = draw.of([10, 1_000, 1_000_000]);
    const whole = await decodeBody(packed, shown, most);
    parts.push([
      shown,
      'error' in whole ? { error: 'error' } : { ...whole, body: whole.body.toString('latin1').slice(0, 2_000) },
    ]);
    // How much a cut stream still gives hangs on who compressed it.
    const cut = await decodeBody(packed.subarray(0, packed.length >> 1), name, most);
    parts.push(
      'error' in cut
        ? 'error'
        : [cut.truncated, used.includes('identity') || plain.subarray(0, cut.body.length).equals(cut.body)],
    );
  }
  return parts;
}

const hosts = ['a.test', 'www.a.test', 'b.test', 'A.test', 'x.www.a.test'];
const patterns = ['*', '*.a.test', 'a.test', 'B.TEST', '*.test', '*.WWW.a.test'];

function rule(draw: Draw): unknown {
  const names = draw.percent(70)
    ? { hosts: draw.list(1 + draw.below(2), () => draw.of(patterns)) }
    : { urls: [draw.of(['https://a.test/x', 'http://b.test', 'https://www.a.test/y?z'])] };
  const method =
    'urls' in names && draw.percent(60) ? { method: draw.of(['POST', 'PUT']), body: draw.of(['', 'q=1']) } : {};
  const proxies = draw.list(1 + draw.below(3), () =>
    draw.of<unknown>([
      'http://p1.test:3128',
      'https://p2.test',
      { url: 'http://p3.test', user: 'u', password: 'w' },
      { url: 'socks5h://p4.test:1080', filters: true },
      'socks5://[::1]:1080',
      { url: 'socks4a://p5.test:9', filters: true },
    ]),
  );
  return {
    ...names,
    ...method,
    ...(draw.percent(60) && {
      headers: { 'X-One': draw.of(['1', '2']), ...(draw.percent(50) && { 'Accept-Language': 'de' }) },
    }),
    ...(draw.percent(30) && { cookies: { id: 'c1', other: 'c2' } }),
    ...(draw.percent(30) && {
      auth: draw.of<unknown>([{ basic: { user: 'me', password: 'secret' } }, { bearer: 'token' }]),
    }),
    ...(draw.percent(20) && { contentType: 'application/json' }),
    ...(draw.percent(40) && { proxies, ...(draw.percent(50) && { rotate: draw.of(['host', 'request']) }) }),
    ...(draw.percent(15) &&
      draw.of<object>([
        { headers: { host: 'x' } },
        { headers: { 'user-agent': 'x' } },
        { headers: { cookie: 'x' } },
        { headers: { 'x y': 'z' } },
        { hosts: [] },
        { method: 'POST', hosts: ['*'] },
        { body: 'x' },
        { rotate: 'host' },
        { proxies: ['ftp://x'] },
        { proxies: ['http://u:p@x:1'] },
        { proxies: ['socks5h://x:1'] },
        { proxies: ['socks5://x'] },
      ])),
  };
}

function* ruled(draw: Draw): Generator<unknown> {
  let nowMs = 1_000_000;
  const said: string[] = [];
  for (let round = 0; round < 5; round++) {
    const input = draw.list(1 + draw.below(4), () => rule(draw));
    const parsed = requestRulesSchema.safeParse(input);
    yield parsed.success ? parsed.data : parsed.error.issues.map(({ path, message }) => [path, message]);
    if (!parsed.success) continue;
    let rules: ReturnType<typeof compileRequestRules>;
    try {
      rules = compileRequestRules(parsed.data, { nowMs: () => nowMs } as never, (text) => said.push(text), [
        'http://b.test',
      ]);
    } catch (error) {
      yield `${error}`;
      continue;
    }
    for (const url of [
      'https://a.test/x',
      'http://b.test/',
      'https://www.a.test/y?z',
      'https://a.test/z',
      'https://x.www.a.test/',
    ]) {
      const manner = rules.mannerOf(url, new URL(url).hostname);
      const turns = draw.list(4, () => {
        const proxy = manner?.proxies?.next(draw.of(hosts));
        nowMs += draw.of([0, 10_000, 30_000]);
        if (proxy && draw.percent(40)) manner!.proxies!.failed(proxy, 'it failed');
        else if (proxy && draw.percent(50)) manner!.proxies!.worked(proxy, 'a.test');
        return proxy && [proxy, takesWholeUrls(proxy, draw.of(['http:', 'https:'])), proxyAuthorization(proxy)];
      });
      yield [url, manner && { ...manner, proxies: null }, turns, said.splice(0)];
    }
  }
}

function* named(draw: Draw): Generator<unknown> {
  const overrides = draw.list(4, () =>
    draw.of([
      '*:127.0.0.1',
      '*.a.test:127.0.0.2',
      'a.test:127.0.0.3',
      'a.test:8080:127.0.0.4',
      '*.www.a.test:[::1]',
      '*.test:443:10.0.0.1',
      'B.test:10.0.0.2',
    ]),
  );
  const lookup = compileOverrides(overrides.map(parseResolveOverride));
  for (const host of hosts) yield [80, 443, 8_080].map((port) => lookup(host.toLowerCase(), port));
  for (const text of [
    'x',
    'a.test:1:2',
    'a.test:99999:1.2.3.4',
    'a.test:65535:1.2.3.4',
    'a.test:[1.2]',
    '*x:1.2.3.4',
    ':1.2.3.4',
  ]) {
    try {
      yield parseResolveOverride(text);
    } catch (error) {
      yield `${error}`;
    }
  }
  yield hosts.map((host) => patterns.map((pattern) => hostFits(pattern, host.toLowerCase())));
  const raw = draw.list(draw.of([4, 5]), () =>
    Buffer.from(draw.of(['Name', 'name', 'X', ' v ', '\xe4', '']), 'latin1'),
  );
  const headers = headersFromRaw(raw);
  yield [headers, headerOf(headers, 'name'), headersOf(headers, 'name'), headerOf(headers, 'x')];
  for (const userAgent of [undefined, 'own/1', 'own/{version} ({contact})', 'own bot', 'a/b c/{version}']) {
    for (const contact of ['', 'https://e.test/'])
      yield [
        requestHeaders({ version: '1.2', contact, userAgent }, 'a', 'b'),
        productTokensOf({ userAgent }),
        productTokensOf({ userAgent, robotsTokens: ['x'] }),
      ];
  }
  const choice = createProxyChoice([], 'host', { nowMs: () => 0 });
  yield choice.next('a.test');
}

const markup =
  '<html><body><h1 class="t big">Title  <b>bold</b></h1><ul><li class=i data-n=1>1</li><li class=i data-n="x">2.5</li><li>3</li></ul><a href="/a">A</a><a href="//b.test/">B</a><p lang=en>true</p><time datetime=2024-05-06>May</time></body></html>';

function* selected(draw: Draw): Generator<unknown> {
  for (let round = 0; round < 12; round++) {
    const rules: FieldRule[] = draw.list(3, () => ({
      name: draw.of(['a', 'b']),
      selector: draw.of(['h1', '.i', 'li', 'ul > li:first-child', 'a[href]', 'p', 'time', 'none', '.t.big, p']),
      attribute: draw.of(['', '', 'href', 'data-n', 'datetime']),
      type: draw.of(fieldTypes),
      all: draw.percent(50),
    }));
    yield selectFields(markup, 'https://a.test/x/', rules);
    const input = {
      fields: [
        {
          name: draw.of(['ok', '1x', '']),
          selector: draw.of(['a', 'a[', '']),
          ...(draw.percent(50) && { type: draw.of(['number', 'numbers']) }),
        },
      ],
      ...(draw.percent(20) && { more: 1 }),
    };
    const parsed = extractRulesSchema.safeParse(input);
    yield parsed.success ? parsed.data : parsed.error.issues.map(({ path, message }) => [path, message]);
  }
}

function* cached(draw: Draw): Generator<unknown> {
  const cache = createLinkCache(draw.of([4, 16, 64]), (max) => draw.below(max));
  for (let round = 0; round < 60; round++) {
    const pending: number[] = [];
    const source = cache.source(draw.of(hosts));
    const news = draw.list(4, () => cache.isNews(source, `https://a.test/${draw.below(40)}`, draw.below(3), pending));
    if (draw.percent(80)) cache.remember(pending);
    yield [news, pending];
  }
}

it('content codings, whole and cut', async () => {
  const cases = new Map<string, unknown[]>();
  for (const [name, parts] of bySeed(10, function* (draw) {
    yield draw;
  }))
    cases.set(name, await decoded([...parts][0] as Draw));
  assertKept(kept('decoded'), cases);
});
it('rules of requests, and turns of proxies', () => assertKept(kept('ruled'), bySeed(40, ruled)));
it('names, headers and identities', () => assertKept(kept('named'), bySeed(12, named)));
it('fields that selectors take', () => assertKept(kept('selected'), bySeed(10, selected)));
it('links that were published lately', () => assertKept(kept('cached'), bySeed(9, cached)));
