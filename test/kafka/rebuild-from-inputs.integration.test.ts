/**
 * A changelog whose beginning was trimmed loses its tail as well, and there is no snapshot: nothing leads to the
 * partition's state any more. The frontier names a command; it is run as it was named, and the crawl goes on to its end.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { assertFlawless, startSmallWeb } from '../services/cli/small-web.ts';
import { cutLog } from './cut-log.ts';

const skip = (await skipReason()) ?? false;
const patienceMs = 240_000;
const changelog = 'lost.frontier-changelog';

describe('a partition whose changelog leads nowhere', { skip, timeout: 2 * patienceMs }, () => {
  let broker: TestBroker;
  let folder: string;
  const children = new Set<Running>();
  const start = (args: readonly string[]) => {
    const running = startCommand(args, { patienceMs });
    children.add(running);
    running.ended.then(() => children.delete(running));
    return running;
  };

  before(async () => {
    broker = await startBroker({ own: true });
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-from-inputs-'));
  });
  after(async () => {
    for (const { child } of children) child.kill('SIGKILL');
    await broker?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const at = () => ['--brokers', broker.brokers, '--crawl', 'lost'];
  const frontier = (data: string) => start(['frontier', ...at(), '--partitions', '2', '--data', data]);
  const until = async (what: string, roles: readonly Running[], holds: () => Promise<boolean>) => {
    for (const untilMs = Date.now() + patienceMs; !(await holds()); await sleep(100)) {
      for (const { child, output } of roles) assert.equal(child.exitCode, null, output());
      assert.ok(Date.now() < untilMs, `waited in vain: ${what}; ${roles.map(({ output }) => output()).join('')}`);
    }
  };
  const stop = async (...roles: readonly Running[]) => {
    for (const { child, ended } of roles) {
      child.kill('SIGTERM');
      await ended;
    }
  };

  it('a partition with a broken changelog is rebuilt from its inputs by the command in the error, and its crawl ends without loss', async (t) => {
    const web = await startSmallWeb({ preset: 'plain', hosts: 8, pagesPerHost: 24, seed: 3 });
    const fetcher = () => start(['fetcher', ...at(), '--partitions', '2', '--resolve', `*:${web.port}:127.0.0.1`]);
    const open = () => openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
    const old = join(folder, 'old');
    let roles = [frontier(old), fetcher()];
    const injected = await runCommand(['inject', ...web.seeds, ...at(), '--partitions', '2', '--delay', '300ms']);
    assert.equal(injected.code, 0, injected.stderr);
    let log = await open();
    const endsOf = async (topic: string) =>
      (await Promise.all([0, 1].map((one) => log.offsets(`lost.${topic}`, one)))).map(({ end }) => end);
    const pages = async () => (await endsOf('pages')).reduce((sum, one) => sum + one, 0);
    const expected = web.plan.expected(web.port).fetch.size;
    await until('a part of the pages is fetched', roles, async () => (await pages()) >= expected / 4);
    // Its folder holds all that it decided.
    await stop(roles[1]!, roles[0]!);
    const fetchedBefore = await pages();
    assert.ok(fetchedBefore < expected, 'the crawl is under way');
    const [end] = (await endsOf('frontier-changelog')) as [number, number];
    await log.close();

    await broker.kill();
    await cutLog(broker.partitionFolder(changelog, 0), end - 10);
    await broker.restart();
    log = await open();
    const ends = await endsOf('frontier-changelog');
    const left = ends[0]!;
    assert.ok(left < end, 'the newest commits are gone');
    // So that neither partition can be read from its beginning.
    for (const partition of [0, 1]) await log.trim(changelog, partition, Math.floor(ends[partition]! / 2));

    const standing = frontier(old);
    const named =
      /or run crawlstream (state rebuild --from-inputs --partition 0) --into <folder>, stop this frontier, replace its state\/0 with that of the folder/;
    await until('it says what to do', [standing], async () => named.test(standing.output()));
    assert.match(standing.output(), /was built from changelog records .* that no longer exist/);
    assert.match(standing.output(), /this partition is stopped, the others continue/);
    await stop(standing);
    const command = named.exec(standing.output())![1]!;
    const into = join(folder, 'rebuilt');
    const rebuilt = await runCommand([...command.split(' '), '--into', into, ...at(), '--json']);
    assert.equal(rebuilt.code, 0, rebuilt.stderr);
    await rename(join(old, 'state', '0'), join(folder, 'useless'));
    await rename(join(into, 'state', '0'), join(old, 'state', '0'));

    roles = [frontier(old), fetcher()];
    await until('every page is fetched', roles, async () => (await pages()) >= expected);
    const stats = async () => lastJson(await runCommand(['stats', ...at(), '--json']));
    await until('the crawl is over', roles, async () => (await stats())['end'] === 'done');
    const { pages: counted, deadLettered, queued, leased } = await stats();
    assert.deepEqual(
      { counted, deadLettered, queued, leased },
      { counted: expected, deadLettered: 0, queued: 0, leased: 0 },
    );
    await stop(...roles);
    assertFlawless(web.check({ delayMs: 300 }));
    t.diagnostic(`${fetchedBefore} of ${expected} pages before; ${end - left} commits lost of ${end}`);
    await log.close();
  });
});
