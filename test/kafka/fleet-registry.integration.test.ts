/** A fleet on Kafka with a schema registry: what another client reads by it, how many subjects it has, and a takeover while it is away. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { skipReason } from '../../lab/kafka/components.ts';
import { freePorts } from '../../lab/kafka/daemon.ts';
import { runCommand } from '../../lab/process/command.ts';
import { avroSchemas } from '../../schemas/avro.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { type FleetClient, fleetClient } from '../services/extras/fleet/running-fleet.ts';
import { until } from '../services/until.ts';
import { besideBroker } from './beside-broker.ts';
import { startRegistry } from './registry.ts';
import { topicValues } from './topic-values.ts';

const skip = (await skipReason()) ?? false;
const names = ['c0', 'c1', 'c2'];

test('records of a fleet are decoded by the registry, with one subject per kind of record, and a takeover waits for it', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { broker, root, command, atEnd } = await besideBroker(t, 280_000);
  const [port] = (await freePorts(1)) as [number];
  const registry = await startRegistry({ port });
  atEnd(() => registry.stop());
  const web = await startSmallWeb({ preset: 'plain', hosts: 3, pagesPerHost: 10, domains: 3, sameHostShare: 1 });
  const fleet = `r${process.pid}`;
  const place = ['--brokers', broker.brokers, '--registry', registry.url];
  const start = async (data: string): Promise<FleetClient> => {
    const own = ['--fleet', fleet, '--data', join(root, data), '--http', '0', '--host-delay', '30ms'];
    const flags = [...place, ...own, '--resolve', `*.test:${web.port}:127.0.0.1`];
    const running = command(['fleet', ...flags]);
    return fleetClient(running, await listening(running));
  };
  const subjects = async (url: string) => ((await (await fetch(`${url}/subjects`)).json()) as string[]).sort();

  const first = await start('a');
  await untilReady(first.base);
  const policy = { delayMs: 30, delayFactor: 0, scope: { kind: 'host' } };
  const took: number[] = [];
  for (const name of names) {
    const beginMs = performance.now();
    await first.create({ seeds: web.seeds, policy, name });
    took.push(Math.round(performance.now() - beginMs));
  }
  t.diagnostic(`crawls were made in ${took.join(', ')} ms`);
  await first.until('the ends of all', (all) => all.every(({ end }) => end === 'done'));
  const kinds = Object.keys(avroSchemas).map((topic) => `${fleet}.${topic}-value`);
  assert.deepEqual(await subjects(registry.url), kinds.sort(), 'of three crawls');

  const client = new SchemaRegistry({ host: registry.url });
  for (const name of names) {
    const urls = (await first.pages(name)).map(({ url }) => url).sort();
    const pages = await topicValues(broker.brokers, `${fleet}.${name}.pages`);
    const decoded = await Promise.all(pages.map((value) => client.decode(value) as Promise<{ url: string }>));
    assert.deepEqual(decoded.map(({ url }) => url).sort(), urls, name);
    const flow = await topicValues(broker.brokers, `${fleet}.${name}.flow`);
    // What begins so is a note of a schema, which needs no registry.
    const records = flow.filter((value) => value.readUInt16BE(0) !== 0xc301);
    for (const value of records) await client.decode(value);
    assert.ok(records.length > 10 && flow.length - records.length <= kinds.length, `${records.length} ${flow.length}`);
    for (const more of [place, place.slice(0, 2)]) {
      const { code, stdout, stderr } = await runCommand(['pages', ...more, '--crawl', `${fleet}.${name}`]);
      assert.equal(code, 0, stderr);
      const printed = stdout.trim().split('\n');
      assert.deepEqual(printed.map((line) => (JSON.parse(line) as { url: string }).url).sort(), urls);
    }
  }
  const audited = await runCommand(['audit', ...place, '--fleet', fleet]);
  assert.equal(audited.code, 0, audited.stdout + audited.stderr);
  assert.match(audited.stdout, /of 3 crawls to 3 hosts none violated/);
  assert.deepEqual(await subjects(registry.url), kinds, 'commands register no others');

  await first.create({ seeds: web.seeds, policy: { ...policy, delayMs: 300 }, name: 'slow' });
  await first.until('its first pages', (all) => all.some(({ name, counts }) => name === 'slow' && counts.pages > 2));
  await registry.stop();
  await first.create({ seeds: web.seeds, policy, name: 'meanwhile' });
  await first.until('a crawl that was made without the registry', (all) =>
    all.some(({ name, end }) => name === 'meanwhile' && end === 'done'),
  );
  first.running.child.kill('SIGKILL');
  await first.running.ended;
  const second = await start('b');
  await until(async () => {
    const response = await fetch(`${second.base}/readyz`);
    return response.status === 503 && (await response.text()).includes(registry.url);
  });
  const back = await startRegistry({ port });
  atEnd(() => back.stop());
  await untilReady(second.base);
  const all = await second.until('the end of the slow one', (all) => all.every(({ end }) => end === 'done'));
  assert.ok(all.every(({ failure }) => failure === null));
  assert.deepEqual(await subjects(registry.url), kinds, 'a registry that has forgotten all learns them again');
});
