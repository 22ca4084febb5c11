/** What is made of the answers of a DNS server, which listens here, and of what the system knows. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createDnsLookup, type DnsLookup } from '../../../../services/fetcher/connect/dns-lookup.ts';

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

test('a name has the addresses that its DNS says, IPv4 first, for the shortest of their times', async (t) => {
  const { lookup, options } = await lookupWith(t, [v6(1, 20), v4(1, 30), v4(2, 10)]);
  const { addresses, ttlMs } = await lookup('a.test');
  assert.deepEqual([[...addresses].sort(), ttlMs], [['192.0.2.1', '192.0.2.2', '2001:db8::1'], 10_000]);
  assert.equal(addresses[2], '2001:db8::1');
  assert.deepEqual(options, { timeout: 2_000, tries: 2 }, 'four seconds in all');
});

test('a name may have addresses of one kind alone', async (t) => {
  const four = await lookupWith(t, [v4(1, 30)]);
  assert.deepEqual(await four.lookup('a.test'), { addresses: ['192.0.2.1'], ttlMs: 30_000 });
  const six = await lookupWith(t, [v6(1, 0)]);
  assert.deepEqual(await six.lookup('a.test'), { addresses: ['2001:db8::1'], ttlMs: 0 });
});

test('a name that the DNS does not know is asked of the system, for no time', async (t) => {
  const { lookup } = await lookupWith(t, []);
  const { addresses, ttlMs } = await lookup('localhost');
  assert.ok(addresses.includes('127.0.0.1') || addresses.includes('::1'), String(addresses));
  assert.equal(ttlMs, 0);
});

test('a name that nobody knows has no address; that nobody could be asked is an error', async (t) => {
  const { lookup } = await lookupWith(t, []);
  const { lookup: system } = dns;
  t.after(() => {
    dns.lookup = system;
  });
  const failing = (code: string) => {
    dns.lookup = (async () => {
      throw Object.assign(new Error(code), { code });
    }) as never;
  };
  for (const code of ['ENOTFOUND', 'ENODATA']) {
    failing(code);
    assert.deepEqual(await lookup('a.test'), { addresses: [], ttlMs: 0 });
  }
  failing('EAI_AGAIN');
  await assert.rejects(lookup('a.test'), { code: 'EAI_AGAIN' });
});
