/** What is made of the answers of a DNS server, which listens here, and of what the system's files say. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createDnsLookup, type DnsLookup } from '../../../../services/fetcher/connect/dns-lookup.ts';
import { createHostsFile } from '../../../../services/fetcher/connect/hosts-file.ts';
import { parseSearchList } from '../../../../services/fetcher/connect/search-list.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface DnsRecord {
  readonly type: 'A' | 'AAAA';
  /** Its bytes. */
  readonly address: readonly number[];
  readonly ttlS: number;
}
const types = { A: 1, AAAA: 28 };

/** Answers each question by the records of its type; without any, that the name does not exist (RFC 1035 §4.1). */
function answerTo(query: Buffer, records: readonly DnsRecord[]): Buffer {
  let nameEnd = 12;
  while (query[nameEnd] !== 0) nameEnd += query[nameEnd]! + 1;
  const question = query.subarray(12, nameEnd + 5);
  const asked = query.readUInt16BE(nameEnd + 1);
  const fitting = records.filter(({ type }) => types[type] === asked);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(records.length === 0 ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(fitting.length, 6);
  const answers = fitting.map(({ type, address, ttlS }) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(types[type], 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(ttlS, 6);
    record.writeUInt16BE(address.length, 10);
    return Buffer.concat([record, Buffer.from(address)]);
  });
  return Buffer.concat([header, question, ...answers]);
}

/** A lookup that asks a server of its own; how its resolver was made. */
async function lookupWith(t: TestContext, records: readonly DnsRecord[]) {
  const server = createSocket('udp4', (query, { port, address }) =>
    server.send(answerTo(query, records), port, address),
  );
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { Resolver } = dns;
  let options: unknown;
  let lookup: DnsLookup;
  try {
    dns.Resolver = class extends Resolver {
      constructor(given?: ConstructorParameters<typeof Resolver>[0]) {
        super(given);
        options = given;
        this.setServers([`127.0.0.1:${port}`]);
      }
    };
    lookup = createDnsLookup();
  } finally {
    dns.Resolver = Resolver;
  }
  return { lookup, options };
}

const v4 = (last: number, ttlS: number): DnsRecord => ({ type: 'A', address: [192, 0, 2, last], ttlS });
const v6 = (last: number, ttlS: number): DnsRecord => ({
  type: 'AAAA',
  address: [0x20, 1, 0xd, 0xb8, ...Array<number>(11).fill(0), last],
  ttlS,
});

test('a name has the addresses of its DNS answers, IPv4 first, for the shortest TTL', async (t) => {
  const { lookup, options } = await lookupWith(t, [v6(1, 20), v4(1, 30), v4(2, 10)]);
  const { addresses, ttlMs } = await lookup('a.test');
  assert.deepEqual([[...addresses].sort(), ttlMs], [['192.0.2.1', '192.0.2.2', '2001:db8::1'], 10_000]);
  assert.equal(addresses[2], '2001:db8::1');
  assert.deepEqual(options, { timeout: 2_000, tries: 2 }, 'four seconds in all');
});

test('a name may have addresses of one family only', async (t) => {
  const four = await lookupWith(t, [v4(1, 30)]);
  assert.deepEqual(await four.lookup('a.test'), { addresses: ['192.0.2.1'], ttlMs: 30_000 });
  const six = await lookupWith(t, [v6(1, 0)]);
  assert.deepEqual(await six.lookup('a.test'), { addresses: ['2001:db8::1'], ttlMs: 0 });
});

/** A name server that answers as `answer` says; undefined: it says nothing. */
async function servers(
  t: TestContext,
  answer: (name: string, type: number) => readonly DnsRecord[] | 'fails' | undefined,
) {
  const asked: string[] = [];
  const server = createSocket('udp4', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    const [name, type] = [labels.join('.').toLowerCase(), query.readUInt16BE(at + 1)];
    asked.push(`${name} ${type === types.A ? 'A' : 'AAAA'}`);
    const records = answer(name, type);
    if (records === undefined) return;
    const packet = answerTo(query, records === 'fails' ? [] : records);
    if (records === 'fails') packet.writeUInt16BE(0x8182, 2);
    server.send(packet, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const resolver = new dns.Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`127.0.0.1:${(server.address() as AddressInfo).port}`]);
  return { asked, resolver };
}

const nobody = { find: async () => [] };
const noSearch = () => parseSearchList('');

test('a lookup ends at its deadline if no name server answers', async (t) => {
  const { resolver, asked } = await servers(t, () => undefined);
  const slow = { resolve4: () => new Promise<never>(() => {}), resolve6: () => new Promise<never>(() => {}) };
  const { lookup: system } = dns;
  t.after(() => {
    dns.lookup = system;
  });
  dns.lookup = (async () => assert.fail('getaddrinfo holds one of four threads')) as never;
  const late = createDnsLookup({ servers: slow, hosts: nobody, search: noSearch, deadlineMs: 50 });
  await assert.rejects(late('dead.test'), /no name server answered for dead\.test within 0\.05 s/);
  const silent = createDnsLookup({ servers: resolver, hosts: nobody, search: noSearch });
  await assert.rejects(silent('dead.test'), { code: 'ETIMEOUT' });
  assert.ok(asked.every((one) => one.startsWith('dead.test ')));
});

test('a name has its IPv4 address even if its server does not answer for IPv6', async (t) => {
  const { resolver } = await servers(t, (_, type) => (type === types.A ? [v4(1, 30)] : undefined));
  const lookup = createDnsLookup({ servers: resolver, hosts: nobody, search: noSearch });
  const beganMs = performance.now();
  assert.deepEqual(await lookup('half.test'), { addresses: ['192.0.2.1'], ttlMs: 30_000 });
  assert.ok(performance.now() - beganMs < 280, 'it does not wait for the other');
});

test('a missing name has no address, and a failing name server is an error', async (t) => {
  const { resolver } = await servers(t, (name) => (name === 'failing.test' ? 'fails' : []));
  const lookup = createDnsLookup({ servers: resolver, hosts: nobody, search: noSearch });
  assert.deepEqual(await lookup('none.test'), { addresses: [], ttlMs: 0 });
  await assert.rejects(lookup('failing.test'), { code: 'ESERVFAIL' });
});

test('the hosts file wins over DNS, and later changes to it count', async (t) => {
  const { resolver, asked } = await servers(t, () => [v4(1, 30)]);
  const file = join(temporaryFolder(), 'hosts');
  writeFileSync(
    file,
    '# a staging machine\n192.0.2.9 www.Shop.test shop.test # both\n::1 shop.test\nnonsense shop.test\n',
  );
  let nowMs = 0;
  const hosts = createHostsFile(file, () => nowMs);
  const lookup = createDnsLookup({ servers: resolver, hosts, search: noSearch });
  assert.deepEqual(await lookup('www.shop.test'), { addresses: ['192.0.2.9'], ttlMs: 0 });
  assert.deepEqual(await lookup('shop.test'), { addresses: ['192.0.2.9', '::1'], ttlMs: 0 });
  assert.deepEqual(await lookup('localhost'), { addresses: ['127.0.0.1', '::1'], ttlMs: 0 });
  assert.deepEqual(asked, []);
  assert.deepEqual((await lookup('other.test')).addresses, ['192.0.2.1']);
  writeFileSync(file, '192.0.2.77 other.test\n');
  nowMs += 6_000;
  assert.deepEqual((await lookup('other.test')).addresses, ['192.0.2.77']);
});

test('a short name is tried with the search list first, a long one without it first', async (t) => {
  const known = new Set(['web.shop.svc.cluster.local', 'example.org.svc.cluster.local']);
  const { resolver, asked } = await servers(t, (name) => (known.has(name) ? [v4(1, 30)] : []));
  const list = parseSearchList('nameserver 192.0.2.1\nsearch shop.svc.cluster.local svc.cluster.local. # ours\n');
  const lookup = createDnsLookup({ servers: resolver, hosts: nobody, search: () => list });
  assert.deepEqual((await lookup('web')).addresses, ['192.0.2.1']);
  assert.equal(asked[0], 'web.shop.svc.cluster.local A');
  asked.length = 0;
  assert.deepEqual((await lookup('example.org')).addresses, ['192.0.2.1']);
  assert.equal(asked[0], 'example.org A');
  const dots = parseSearchList('options ndots:5 timeout:1\nsearch a.test\n');
  assert.deepEqual(dots.namesFor('x.y'), ['x.y.a.test', 'x.y']);
  assert.deepEqual(dots.namesFor('x.'), ['x.']);
});
