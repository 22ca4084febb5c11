/** Audits of one crawl, killed once in its middle: as it was, and with what it recorded planted full of violations. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import type { Control, Request, Result, RobotsCopy } from '../../../../schemas/types.ts';
import { type AuditReport, runAudit } from '../../../../services/extras/audit/run-audit.ts';
import { withCrawl } from '../../../../services/hosting/connect/open-crawl.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { controlEvent } from '../../../../services/runtime/crawl/control-log.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { type ViolationKind, violationKinds } from '../../../../topology/extras/audit/violation.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type SmallWeb, startSmallWeb } from '../small-web.ts';

const partitions = 2;
const delayMs = 60;
const crawlDelayMs = 150;
const folder = temporaryFolder();
const data = join(folder, 'data');
let small: SmallWeb;

interface Recorded {
  readonly results: { readonly partition: number; readonly value: Result }[];
  readonly control: { readonly partition: number; readonly value: Control }[];
  readonly robots: { readonly partition: number; readonly value: RobotsCopy }[];
}
let clean: Recorded;

before(async () => {
  small = await startSmallWeb({
    preset: 'full',
    hosts: 14,
    pagesPerHost: 6,
    crawlDelays: 0.2,
    crawlDelayMs,
    redirects: 0.3,
  });
  const flags = ['--delay', `${delayMs}ms`, '--retries', '0.1s,0.2s', '--partitions', `${partitions}`, '--data', data];
  const killed = startCommand([...small.crawlArguments, ...flags]);
  while (small.web.requests().length < 60) await sleep(20);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const ended = await runCommand([...small.crawlArguments, ...flags]);
  assert.equal(ended.code, 0, ended.stderr);
  clean = await recorded();
});

function recorded(): Promise<Recorded> {
  return withCrawl({ data, crawl: 'crawl' }, async ({ log, codec }) => {
    const all: Recorded = { results: [], control: [], robots: [] };
    for (const topic of ['results', 'control', 'robots'] as const) {
      for (let partition = 0; partition < partitions; partition++) {
        const { start, end } = await log.offsets(`crawl.${topic}`, partition);
        for await (const { value } of recordsOf(log, `crawl.${topic}`, partition, start, end)) {
          await codec.prepare(topic, value);
          all[topic].push({ partition, value: codec.decode(topic, value) as never });
        }
      }
    }
    return all;
  });
}

/** What an audit says of records on a log of their own. */
async function audited(records: Recorded): Promise<AuditReport> {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics(topicsOfCrawl('crawl', partitions));
  const codec = await openCodec(createMemoryRegistry(), 'crawl');
  for (const topic of ['results', 'control', 'robots'] as const) {
    const rows = records[topic].map(({ partition, value }) => ({
      topic: `crawl.${topic}`,
      partition,
      key: null,
      value: codec.encode(topic, plain(value) as never),
    }));
    if (rows.length > 0) await log.append(rows);
  }
  const tolerance = { skewMs: 100, noticeMs: 10_000, fromMs: 0 };
  return runAudit({ log, codec, crawl: 'crawl', partitions }, tolerance);
}

/** A copy's bytes are no Buffer any more. */
function plain(value: object): object {
  return 'body' in value ? { ...value, body: Buffer.from(value.body as Uint8Array) } : value;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Planted = { results: Result[]; requests: Writable<Request>[]; control: Control[]; robots: Writable<RobotsCopy>[] };

const isPage = ({ kind }: Request) => kind === 'page';

/** Two page requests of a host, one after the other in one lease, where the robots.txt is as asked for. */
function pair(planted: Planted, asks: (copy: RobotsCopy) => boolean): [Writable<Request>, Writable<Request>] {
  const leases = new Map<string, Writable<Request>[]>();
  // A lease may report each of its URLs apart.
  for (const { hostKey, epoch, leaseId, requests } of planted.results) {
    const lease = `${hostKey} ${epoch} ${leaseId}`;
    leases.set(lease, [...(leases.get(lease) ?? []), ...requests]);
  }
  for (const requests of leases.values()) {
    for (let n = 1; n < requests.length; n++) {
      const [one, next] = [requests[n - 1]!, requests[n]!];
      const copy = planted.robots.find(({ hash }) => hash !== '' && hash === next.robotsHash);
      if (isPage(one) && isPage(next) && copy !== undefined && asks(copy)) return [one, next];
    }
  }
  return assert.fail('the crawl has no such requests');
}

const anything = () => true;
const forbids = ({ body }: RobotsCopy) => /private/.test(Buffer.from(body).toString());
const elsewhere = (url: string, path: string) => new URL(path, url).href;

const plants: Readonly<Record<ViolationKind, (planted: Planted) => Writable<Request>>> = {
  gapTooShort(planted) {
    const [one, next] = pair(planted, ({ crawlDelayMs }) => crawlDelayMs < 0);
    next.startMs = one.endMs + delayMs - 1;
    return next;
  },
  concurrency(planted) {
    const [one, next] = pair(planted, ({ crawlDelayMs }) => crawlDelayMs < 0);
    one.endMs = next.startMs + 1;
    return next;
  },
  crawlDelay(planted) {
    const [one, next] = pair(planted, ({ crawlDelayMs: asked }) => asked === crawlDelayMs);
    next.startMs = one.endMs + crawlDelayMs - 1;
    return next;
  },
  retryAfter(planted) {
    const [one, next] = pair(planted, anything);
    Object.assign(one, { status: 429, retryAfterMs: next.startMs - one.endMs + 1 });
    return next;
  },
  addressGap(planted) {
    const [one, next] = planted.requests.filter(({ address }) => address !== '').sort((a, b) => a.startMs - b.startMs);
    Object.assign(one!, { addressDelayMs: 10_000 });
    Object.assign(next!, { addressDelayMs: next!.startMs - one!.startMs + 2 });
    return next!;
  },
  disallowed(planted) {
    const [, next] = pair(planted, forbids);
    next.url = elsewhere(next.url, '/private/x');
    next.hop = 0;
    return next;
  },
  redirectDisallowed(planted) {
    const [, next] = pair(planted, forbids);
    next.url = elsewhere(next.url, '/private/x');
    next.hop = 1;
    return next;
  },
  robotsUnread(planted) {
    const [, next] = pair(planted, anything);
    next.robotsAtMs = next.startMs + 1;
    return next;
  },
  robotsStale(planted) {
    const [, next] = pair(planted, anything);
    next.robotsAtMs = next.startMs - 24 * 3_600_000 - 1;
    return next;
  },
  robotsUnreachable(planted) {
    const robots = planted.requests.find(({ kind, status }) => kind === 'robots' && status === 200)!;
    robots.status = 503;
    const { origin } = new URL(robots.url);
    return planted.requests.find(
      (one) => isPage(one) && one.url.startsWith(`${origin}/`) && one.startMs > robots.endMs,
    )!;
  },
  robotsCopy(planted) {
    const [, next] = pair(planted, forbids);
    for (const copy of planted.robots) if (copy.hash === next.robotsHash) copy.body = Buffer.from('User-agent: *');
    return next;
  },
  blockedHost(planted) {
    const [, next] = pair(planted, anything);
    const { host: hostKey } = new URL(next.url);
    planted.control.push(controlEvent({ kind: 'blockHost', hostKey, atMs: next.startMs - 10_001, by: 'test' }));
    return next;
  },
  payment(planted) {
    const [, next] = pair(planted, anything);
    const result = planted.results.find(({ requests }) => requests.includes(next))!;
    Object.assign(result.outcomes.find(({ index }) => index === next.outcomeIndex)!, { paid: 'USD 1' });
    return next;
  },
};

test('a crawl that was killed and resumed has broken nothing, and its web agrees', async () => {
  const ended = await runCommand(['audit', '--data', data, '--json']);
  assert.equal(ended.code, 0, ended.stdout);
  const { violations, fetches, details } = lastJson(ended);
  assert.deepEqual([violations, details], [0, []]);
  const requests = clean.results.flatMap(({ value }) => value.requests);
  assert.equal(fetches, requests.length);
  assert.ok(requests.length > 100 && requests.some(({ hop }) => hop > 0));
  assert.ok(requests.every(({ kind, robotsAtMs }) => (kind === 'robots') === (robotsAtMs === 0)));
  assert.deepEqual(small.check({ delayMs, abortToleranceMs: 1_000 }).robotsViolations.details, []);
});

for (const kind of violationKinds) {
  test(`a planted violation is found: ${kind}`, async () => {
    const copied = structuredClone(clean);
    const planted: Planted = {
      results: copied.results.map(({ value }) => value),
      requests: copied.results.flatMap(({ value }) => value.requests as Writable<Request>[]),
      control: [],
      robots: copied.robots.map(({ value }) => value as Writable<RobotsCopy>),
    };
    const culprit = plants[kind](planted);
    copied.control.push(...planted.control.map((value) => ({ partition: 0, value })));
    const { violations } = await audited(copied);
    assert.deepEqual([...new Set(violations.map((one) => one.kind))], [kind]);
    const found = violations.find(({ url, atMs }) => url === culprit.url && atMs === culprit.startMs)!;
    const holder = copied.results.find(({ value }) => value.requests.includes(culprit))!;
    const before = copied.results.filter(({ partition }) => partition === holder.partition);
    assert.deepEqual(
      [found.topic, found.partition, found.offset],
      ['results', holder.partition, before.indexOf(holder)],
      'it says where it is recorded',
    );
  });
}

test('a statement lists what was read, and is signed if a key is given', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = join(folder, 'key.pem');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const file = join(folder, 'statement.json');
  const made = await runCommand(['audit', '--data', data, '--statement', file, '--sign-with', `file:${key}`]);
  assert.equal(made.code, 0, made.stderr);
  const { statement, signature } = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(statement.violations, 0);
  const report = await audited(clean);
  const hashes = (read: AuditReport['read']) =>
    read.filter(({ topic }) => topic === 'crawl.results').map((one) => one.records);
  assert.deepEqual(hashes(statement.read), hashes(report.read));
  assert.equal(signature.algorithm, 'Ed25519');
  const verified = await runCommand(['audit', '--verify', file]);
  assert.match(verified.stdout, /^intact, signed with\n-----BEGIN PUBLIC KEY/);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"violations": 0', '"violations": 1'));
  const forged = await runCommand(['audit', '--verify', file]);
  assert.deepEqual([forged.code, forged.stdout], [1, 'not proven: it was changed after it was signed\n']);
});

test('a webmaster’s page says when we came, what the host answered and what we did', async () => {
  const copy = clean.robots.find(({ value }) => forbids(value))!.value;
  const { hostname } = new URL(copy.origin);
  const { code, stdout } = await runCommand(['audit', '--data', data, '--host', hostname]);
  assert.equal(code, 0);
  for (const part of [/^# Our visits to /, /requests \(.*\d × page/, /\.txt answered 200/, /^ {6}disallow: */im]) {
    assert.match(stdout, part);
  }
  assert.match(stdout, /no violations/);
});
