/**
 * A crawl on a real Kafka whose registry is forgotten on a command line, is wiped, or comes back with other schemas under
 * the ids it gave. Records stay readable, or their readers wait and say for what; no manifest is made a second time, and
 * nothing is taken for a dead letter.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SchemaRegistry as PlainClient, SchemaType } from '@kafkajs/confluent-schema-registry';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { freePorts } from '../../lab/kafka/daemon.ts';
import type { Running } from '../../lab/process/command.ts';
import { lastJson, runCommand, startCommand } from '../../lab/process/command.ts';
import { avroSchemas } from '../../schemas/avro.ts';
import { openConfluentRegistry } from '../../services/runtime/avro/confluent-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { controlEvent } from '../../services/runtime/crawl/control-log.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import type { Log } from '../../services/runtime/log/log.ts';
import { recordsOf } from '../../services/runtime/log/records-of.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { topicsOfCrawl } from '../../topology/topics.ts';
import { listening } from '../services/cli/listening.ts';
import { assertFlawless, type SmallWeb, startSmallWeb } from '../services/cli/small-web.ts';
import { startRegistry, type TestRegistry } from './registry.ts';

const skip = (await skipReason()) ?? false;
const partitions = 3;
const patienceMs = 240_000;

describe('a crawl whose registry forgets', { skip, timeout: 900_000 }, () => {
  let broker: TestBroker;
  let registry: TestRegistry;
  let registryPort: number;
  let folder: string;
  let log: Log;
  const children = new Set<Running>();

  before(async () => {
    [registryPort] = (await freePorts(1)) as [number];
    [broker, registry] = await Promise.all([startBroker({ own: true }), startRegistry({ port: registryPort })]);
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-forgets-'));
    log = await openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'test' });
  });
  after(async () => {
    for (const { child } of children) child.kill('SIGKILL');
    await log?.close();
    await Promise.all([broker?.stop(), registry?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const named = () => ['--registry', registry.url];
  const at = (crawl: string) => ['--brokers', broker.brokers, '--crawl', crawl];
  const start = (args: readonly string[]): Running => {
    const running = startCommand(args, { patienceMs });
    children.add(running);
    running.ended.then(() => children.delete(running));
    return running;
  };
  const run = async (...args: string[]) => {
    const ended = await runCommand(args);
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  /** Two roles and a consumer, as users start them. */
  const startRoles = (crawl: string, web: SmallWeb, more: readonly string[]) => [
    start(['frontier', ...at(crawl), ...more, '--http', '0', '--data', join(folder, `${crawl}-frontier`)]),
    start(['fetcher', ...at(crawl), ...more, '--http', '0', '--resolve', `*:${web.port}:127.0.0.1`]),
    start(['dedup', ...at(crawl), ...more, '--http', '0', '--data', join(folder, `${crawl}-dedup`)]),
  ];
  const stop = async (running: readonly Running[]) => {
    // One that has only begun hears no signal yet: it says where it listens once it does.
    for (const one of running) await listening(one);
    for (const { child } of running) child.kill('SIGTERM');
    for (const { ended } of running) {
      const { code, stderr } = await ended;
      assert.equal(code, 0, stderr);
    }
  };
  const stats = async (crawl: string, more: readonly string[]) =>
    lastJson(await run('stats', ...at(crawl), ...more, '--json'));
  const untilPages = async (crawl: string, pages: number, more: readonly string[]) => {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const now = await stats(crawl, more);
      if ((now['pages'] as number) >= pages || now['end'] !== null) return now;
      assert.ok(Date.now() < deadline, `the crawl stands still: ${JSON.stringify(now)}`);
      await sleep(250);
    }
  };
  const readyz = async (running: Running) => {
    const response = await fetch(`${await listening(running)}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  /** What a role says it waits for, once it does. */
  const untilWaiting = async (running: Running, for_: RegExp): Promise<string> => {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const { status, text } = await readyz(running);
      if (status === 503 && for_.test(text)) return text;
      assert.ok(Date.now() < deadline, `it does not wait for ${for_}, but says ${status} ${text}\n${running.output()}`);
      await sleep(100);
    }
  };
  const untilReady = async (running: Running) => {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const { status, text } = await readyz(running);
      if (status === 200) return;
      assert.ok(Date.now() < deadline, `it is not ready: ${text}\n${running.output()}`);
      await sleep(100);
    }
  };
  const records = async (topic: string) => {
    let sum = 0;
    for (let partition = 0; partition < partitions; partition++) sum += (await log.offsets(topic, partition)).end;
    return sum;
  };
  /** Manifests on `control`, by their own text: whatever their format, they are JSON in it. */
  const manifests = async (crawl: string) => {
    const { start: from, end } = await log.offsets(`${crawl}.control`, 0);
    let count = 0;
    for await (const { value } of recordsOf(log, `${crawl}.control`, 0, from, end))
      if (value.includes('"fingerprintKey"')) count++;
    return count;
  };
  /** In memory: stopping it wipes it. `taken`: ids that it has given to others by then. */
  const wipeRegistry = async (taken: number) => {
    await registry.stop();
    registry = await startRegistry({ port: registryPort });
    const client = new PlainClient({ host: registry.url });
    for (let id = 0; id < taken; id++) {
      const schema = {
        type: 'record',
        name: `Other${id}`,
        namespace: 'elsewhere',
        fields: [{ name: 'a', type: 'int' }],
      };
      await client.register({ type: SchemaType.AVRO, schema: JSON.stringify(schema) }, { subject: `other-${id}` });
    }
  };

  it('a crawl whose registry forgets goes on and ends without it, with it wiped, and with its ids reassigned', async () => {
    const web = await startSmallWeb({ hosts: 12, pagesPerHost: 30, seed: 31 });
    const pages = 12 * 30;
    await run('topics', 'create', ...at('forgets'), ...named(), '--partitions', `${partitions}`);
    let roles = startRoles('forgets', web, named());
    await run('inject', ...web.seeds, ...at('forgets'), ...named(), '--delay', '60ms');
    await untilPages('forgets', pages / 5, named());
    await stop(roles);

    roles = startRoles('forgets', web, []);
    await untilPages('forgets', (2 * pages) / 5, []);
    await stop(roles);

    await wipeRegistry(0);
    roles = startRoles('forgets', web, named());
    await untilPages('forgets', (3 * pages) / 5, named());
    await stop(roles);

    await wipeRegistry(40);
    roles = startRoles('forgets', web, named());
    const end = await untilPages('forgets', Number.POSITIVE_INFINITY, named());
    assert.equal(end['end'], 'done');
    await stop(roles);

    assertFlawless(web.check({ delayMs: 60 }));
    assert.equal(end['pages'], pages);
    assert.equal(await records('forgets.dead-letters'), 0, 'nothing is a dead letter');
    assert.equal(await manifests('forgets'), 1, 'one manifest');
    // Whoever comes later reads all of them, with a registry that never gave their ids or with none.
    for (const more of [named(), []]) {
      const { stdout } = await run('pages', ...at('forgets'), ...more);
      assert.equal(new Set(stdout.split('\n').filter(Boolean)).size, pages);
    }
  });

  it('a crawl whose registry forgets, without recorded ids of an earlier release, waits for it and makes no second manifest', async () => {
    const crawl = 'unnoted';
    const web = await startSmallWeb({ hosts: 4, pagesPerHost: 5, seed: 32 });
    // The records of a release that noted nothing: its manifest under the registry's id.
    const made = await makeUnnoted(crawl, web);
    const blocked = startRoles(crawl, web, []);
    for (const role of blocked) {
      const text = await untilWaiting(role, /schema id/);
      assert.match(text, /unnoted\.control/);
      assert.match(text, /--registry/);
    }
    const { end } = await log.offsets(`${crawl}.control`, 0);
    await sleep(3_000);
    assert.equal((await log.offsets(`${crawl}.control`, 0)).end, end, 'nothing is appended to control');
    assert.equal(end, made);
    assert.equal(await records(`${crawl}.dead-letters`), 0);
    for (const role of blocked) assert.equal(role.output().match(/schema id/g)?.length, 1, 'one line says so');
    const looking = await runCommand(['stats', ...at(crawl)]);
    assert.equal(looking.code, 1);
    assert.match(looking.stderr, /^crawlstream: .*schema id .*--registry.*\n$/);
    await stop(blocked);

    const roles = startRoles(crawl, web, named());
    const done = await untilPages(crawl, Number.POSITIVE_INFINITY, named());
    await stop(roles);
    assert.deepEqual([done['end'], done['pages']], ['done', 20]);
    assert.equal(await manifests(crawl), 1);
    assert.equal(await records(`${crawl}.dead-letters`), 0);
    assert.equal((await stats(crawl, []))['pages'], 20, 'its schemas are noted now');
  });

  it('a crawl whose registry forgets waits at a record with an unknown id, in every role, until an operator defines it', async () => {
    const crawl = 'taught';
    const web = await startSmallWeb({ hosts: 4, pagesPerHost: 5, seed: 33 });
    await run('topics', 'create', ...at(crawl), '--partitions', `${partitions}`);
    const roles = startRoles(crawl, web, []);
    await run('inject', ...web.seeds, ...at(crawl));
    await untilPages(crawl, Number.POSITIVE_INFINITY, []);
    const [frontier, fetcher, dedup] = roles as [Running, Running, Running];
    for (const role of roles) await untilReady(role);
    const unknown = Buffer.from([0, 0, 0, 0x10, 0x92, 1, 2, 3]);
    const pages = await log.offsets(`${crawl}.pages`, 1);
    const [page] = await firstOf(recordsOf(log, `${crawl}.pages`, 1, 0, pages.end));
    for (const [topic, value] of [
      ['discovered', unknown],
      ['tasks', unknown],
      ['pages', Buffer.concat([unknown.subarray(0, 5), page!.value.subarray(10)])],
    ] as const) {
      await log.append([{ topic: `${crawl}.${topic}`, partition: 1, key: Buffer.from('a.test'), value }]);
    }
    assert.match(await untilWaiting(frontier, /taught\.discovered/), /schema id 4242.*schemas teach/);
    assert.match(await untilWaiting(fetcher, /taught\.tasks/), /schema id 4242.*--registry/);
    assert.match(await untilWaiting(dedup, /taught\.pages/), /schema id 4242/);
    // The rest of the crawl goes on meanwhile: operators are heard.
    await run('block', 'elsewhere.test', '--force', ...at(crawl));
    assert.equal(await records(`${crawl}.dead-letters`), 0);

    await run('schemas', 'refuse', '--topic', 'discovered', '--id', '4242', ...at(crawl));
    await run('schemas', 'refuse', '--topic', 'tasks', '--id', '4242', ...at(crawl));
    const file = join(folder, 'pages.avsc');
    await writeFile(file, JSON.stringify(avroSchemas.pages));
    await run('schemas', 'teach', file, '--topic', 'pages', '--id', '4242', ...at(crawl));
    for (const role of roles) await untilReady(role);
    const listed = lastJson(await run('schemas', 'list', ...at(crawl), '--json'))['schemas'] as { id: number | null }[];
    assert.equal(listed.filter(({ id }) => id === 4242).length, 3);
    const deadLetters = async () => (await run('dlq', 'list', ...at(crawl))).stdout;
    const deadline = Date.now() + 30_000;
    while (!/tasks\/1 /.test(await deadLetters()) || !/discovered\/1 /.test(await deadLetters())) {
      assert.ok(Date.now() < deadline, `what is foreign is a dead letter: ${await deadLetters()}`);
      await sleep(250);
    }
    assert.equal(await records(`${crawl}.dead-letters`), 2, 'what was taught is read');
    await stop(roles);
  });

  it('a crawl without a registry writes single objects, whose fingerprints no registry can reassign', async () => {
    const { end } = await log.offsets('taught.pages', 0);
    const [first] = await firstOf(recordsOf(log, 'taught.pages', 0, 0, end));
    assert.deepEqual([...first!.value.subarray(0, 2)], [0xc3, 0x01]);
  });

  /** Gives the end of `control`, partition 0. */
  async function makeUnnoted(crawl: string, web: SmallWeb): Promise<number> {
    const beside = `${crawl}-model`;
    await run('topics', 'create', ...at(beside), '--partitions', `${partitions}`, ...named());
    const codec = await openCodec(openConfluentRegistry(registry.url), crawl);
    const model = await openCodec(openConfluentRegistry(registry.url), beside);
    let payload = '';
    const { end } = await log.offsets(`${beside}.control`, 0);
    for await (const { value } of recordsOf(log, `${beside}.control`, 0, 0, end)) {
      const event = model.decode('control', value);
      if (event.kind === 'manifest') payload = event.payload.replace(`"${beside}"`, `"${crawl}"`);
    }
    await log.createTopics(topicsOfCrawl(crawl, partitions));
    const value = codec.encode('control', controlEvent({ kind: 'manifest', atMs: Date.now(), by: 'test', payload }));
    await log.append([{ topic: `${crawl}.control`, partition: 0, key: null, value }]);
    await injectUnnoted(crawl, web, codec);
    return (await log.offsets(`${crawl}.control`, 0)).end;
  }

  async function injectUnnoted(crawl: string, web: SmallWeb, codec: Awaited<ReturnType<typeof openCodec>>) {
    const topics = { crawl, partitions, keyMode: 'host' } as const;
    const policy = { ...defaultPolicy(), version: 1, delayMs: 20 };
    await log.append([
      ...policyRecords(codec, topics, policy, 'test', Date.now()),
      ...seedRecords(codec, topics, web.seeds, Date.now()),
    ]);
  }
});

async function firstOf<T>(all: AsyncIterable<T>): Promise<T[]> {
  for await (const one of all) return [one];
  return [];
}
