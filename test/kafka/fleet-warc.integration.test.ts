/** What hosts answered to a crawl of a fleet on Kafka: as one WARC file by HTTP, and as files of an archive, over kill -9 of both. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { skipReason } from '../../lab/kafka/components.ts';
import { runCommand } from '../../lab/process/command.ts';
import { readWarc } from '../../services/extras/archive/warc-reader.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { type FleetClient, fleetClient } from '../services/extras/fleet/running-fleet.ts';
import { until } from '../services/until.ts';
import { besideBroker } from './beside-broker.ts';
import { topicValues } from './topic-values.ts';

const skip = (await skipReason()) ?? false;
const delayMs = 150;

test('a fleet on Kafka keeps responses of a crawl that wants them, none lost or written twice by kill -9 of it or of its archive', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { broker, root, command, atEnd } = await besideBroker(t, 280_000);
  const web = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 20, domains: 4, sameHostShare: 1 });
  const fleet = `w${process.pid}`;
  const place = ['--brokers', broker.brokers];
  const run = (args: readonly string[]) => command([...args, ...place, '--http', '0']);
  const start = async (data: string): Promise<FleetClient> => {
    const own = ['--fleet', fleet, '--data', join(root, data), '--host-delay', `${delayMs}ms`];
    const running = run(['fleet', ...own, '--resolve', `*.test:${web.port}:127.0.0.1`]);
    return fleetClient(running, await listening(running));
  };
  const archive = () => run(['archive', '--crawl', `${fleet}.kept`, '--data', join(root, 'archive')]);

  const first = await start('a');
  await untilReady(first.base);
  const policy = { delayMs, delayFactor: 0, scope: { kind: 'host' } };
  await first.create({ seeds: web.seeds, policy, name: 'kept', output: { warc: true } });
  await first.create({ seeds: web.seeds.slice(0, 1), policy, name: 'plain' });
  const archiving = archive();
  await untilReady(await listening(archiving));
  await first.until('pages of both', (all) => all.every(({ counts }) => counts.pages >= 4));
  await until(() =>
    readdirSync(join(root, 'archive'), { recursive: true }).some((name) => `${name}`.endsWith('.open')),
  );
  first.running.child.kill('SIGKILL');
  archiving.child.kill('SIGKILL');
  await Promise.all([first.running.ended, archiving.ended]);
  const second = await start('b');
  await untilReady(second.base);
  await second.until('the ends of both', (all) => all.every(({ end }) => end === 'done'));
  const urls = (await second.pages('kept')).map(({ url }) => url);

  const answered = async (crawl: string) => {
    const response = await fetch(`${second.base}/v1/crawls/${crawl}/archive.warc.gz`);
    assert.equal(response.status, 200);
    const path = join(root, `${crawl}.warc.gz`);
    await writeFile(path, Buffer.from(await response.arrayBuffer()));
    return urlsIn([path]);
  };
  const kept = await answered('kept');
  assert.deepEqual(
    kept.filter((url) => !url.endsWith('/robots.txt')),
    urls.sort(),
  );
  assert.equal(kept.length, (await topicValues(broker.brokers, `${fleet}.kept.responses`)).length);
  const keepsNone = async (crawl: string) => {
    const { status } = await fetch(`${second.base}/v1/crawls/${crawl}/archive.warc.gz`);
    assert.equal(status, 404, crawl);
  };
  await keepsNone('plain');

  const again = archive();
  await untilReady(await listening(again));
  const folder = join(root, 'archive', 'archive');
  await until(async () => {
    const files = readdirSync(folder).filter((name) => /\.warc\.gz(\.open)?$/.test(name));
    const found = await urlsIn(files.map((name) => join(folder, name))).catch(() => []);
    return found.length >= kept.length;
  });
  again.child.kill('SIGTERM');
  assert.equal((await again.ended).code, 0);
  const files = readdirSync(folder).filter((name) => /\.warc\.gz(\.open)?$/.test(name));
  assert.deepEqual(await urlsIn(files.map((name) => join(folder, name))), kept, 'of the archive');

  const refused = await runCommand(['archive', ...place, '--crawl', `${fleet}.plain`, '--data', join(root, 'none')]);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /has no stored responses.*output\.warc/);

  const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
  atEnd(() => log.close());
  const partitionsOf = (name: string) =>
    Promise.all(['pages', 'flow', 'responses'].map((topic) => log.partitionsOf(`${fleet}.${name}.${topic}`)));
  assert.deepEqual(
    [await partitionsOf('kept'), await partitionsOf('plain')],
    [
      [1, 1, 1],
      [1, 1, 0],
    ],
  );
  assert.equal((await second.call('DELETE', '/v1/crawls/kept')).status, 204);
  assert.deepEqual(await partitionsOf('kept'), [0, 0, 0]);
  // Of the same name, and without: nothing is left of how it was kept before.
  await second.create({ seeds: web.seeds.slice(0, 1), policy, name: 'kept' });
  await second.until('its end', (all) => all.every(({ end }) => end === 'done'));
  await keepsNone('kept');
});

/** URLs of all answers, sorted, each as often as it is there. */
async function urlsIn(paths: readonly string[]): Promise<string[]> {
  const urls: string[] = [];
  for (const path of paths)
    for await (const { type, fields } of readWarc(path))
      if (type === 'response' || type === 'revisit') urls.push(fields.get('warc-target-uri')!);
  return urls.sort();
}
