/**
 * A changelog whose beginning was trimmed loses its tail as well, and there is no snapshot: nothing leads to the
 * partition's state any more. The frontier names a command; it is run as it was named, and the crawl goes on to its end.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { lastJson, type Running, runCommand, startCommand } from '../services/cli/command.ts';
import { assertFlawless, startSmallWeb } from '../services/cli/small-web.ts';
import { startBroker, type TestBroker } from './broker.ts';
import { skipReason } from './components.ts';
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
  const frontier = (data: string) => start(['frontier', ...at(), '--partitions', '1', '--data', data]);
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

  it('is built from its inputs by the command that the error names, and its crawl ends with nothing lost', async (t) => {
    const web = await startSmallWeb({ preset: 'plain', hosts: 8, pagesPerHost: 24, seed: 3 });
    const fetcher = () => start(['fetcher', ...at(), '--partitions', '1', '--resolve', `*:${web.port}:127.0.0.1`]);
    const open = () => openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
    const old = join(folder, 'old');
    let roles = [frontier(old), fetcher()];
    const injected = await runCommand(['inject', ...web.seeds, ...at(), '--partitions', '1', '--delay', '300']);
    assert.equal(injected.code, 0, injected.stderr);
    let log = await open();
    const pages = async () => (await log.offsets('lost.pages', 0)).end;
    const expected = web.plan.expected(web.port).fetch.size;
    await until('a part of the pages is fetched', roles, async () => (await pages()) >= expected / 4);
    // Its folder holds all that it decided.
    await stop(roles[1]!, roles[0]!);
    const fetchedBefore = await pages();
    assert.ok(fetchedBefore < expected, 'the crawl is under way');
    const { end } = await log.offsets(changelog, 0);
    await log.close();

    await broker.kill();
    await cutLog(broker.partitionFolder(changelog, 0), end - 10);
    await broker.restart();
    log = await open();
    const { end: left } = await log.offsets(changelog, 0);
    assert.ok(left < end, 'the newest commits are gone');
    // So that it cannot be read from its beginning either.
    await log.trim(changelog, 0, Math.floor(left / 2));

    const failed = await frontier(old).ended;
    const said = failed.stdout + failed.stderr;
    assert.notEqual(failed.code, 0, said);
    assert.match(said, /was built from records of the changelog, .*, that are gone/);
    const named =
      /run crawlstream (state rebuild --from-inputs --partition 0) --into <folder>, and start on that folder/;
    const command = named.exec(said)?.[1];
    assert.ok(command !== undefined, said);
    const into = join(folder, 'rebuilt');
    const rebuilt = await runCommand([...command.split(' '), '--into', into, ...at(), '--json']);
    assert.equal(rebuilt.code, 0, rebuilt.stderr);

    roles = [frontier(into), fetcher()];
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
