/** What is done to the crawls of a fleet, in which order, and what a kill leaves: files are real, crawls are not. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CrawlFile, CrawlFiles, noCounts } from '../../../../services/extras/fleet/crawl-file.ts';
import { Fleet, type FleetOptions } from '../../../../services/extras/fleet/fleet.ts';
import { createCall } from '../../../../services/extras/fleet/fleet-schemas.ts';
import { newName } from '../../../../services/extras/fleet/new-name.ts';
import { readCrawl } from '../../../../services/extras/fleet/read-crawl.ts';
import type { RunningCrawl } from '../../../../services/extras/fleet/running-crawl.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

interface Controlled extends RunningCrawl {
  isUp(): void;
  isWaiting: boolean;
  end(how: 'done' | 'quotaSpent' | Error): void;
  isStopped: boolean;
}

function controlled(): Controlled {
  let isUp = () => {};
  let settle: (how: 'done' | 'quotaSpent' | 'stopped' | Error) => void = () => {};
  const ended = new Promise<'done' | 'quotaSpent' | 'stopped'>((resolve, reject) => {
    settle = (how) => (how instanceof Error ? reject(how) : resolve(how));
  });
  ended.catch(() => {});
  const one: Controlled = {
    up: new Promise((resolve) => (isUp = resolve)),
    isWaiting: false,
    ended,
    counts: { ...noCounts, pages: 7 },
    pagesPerSecond: 1,
    reads: undefined,
    isStopped: false,
    stop() {
      one.isStopped = true;
      settle('stopped');
    },
    isUp: () => isUp(),
    end: (how) => settle(how),
  };
  return one;
}

function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give: () => give() };
}

async function fleetIn(folder: string, more: Partial<FleetOptions> = {}) {
  const started: [name: string, crawl: Controlled][] = [];
  const said: string[] = [];
  const files = new CrawlFiles(folder);
  const fleet = new Fleet({
    files,
    clock: { nowMs: () => 1, sleepUntil: async () => {} },
    check: ({ seeds, policy }) => ({ seeds, policy }),
    make: async (path) => void (await mkdir(path)),
    start({ name }) {
      const crawl = controlled();
      started.push([name, crawl]);
      return crawl;
    },
    pagesEnd: async () => 7,
    say: (text) => said.push(text),
    ...more,
  });
  const opened = fleet.open(await files.list());
  return { fleet, opened, started, said, names: () => started.map(([name]) => name) };
}

const callOf = (name: string, more: object = {}) => createCall.parse({ seeds: ['http://a.test/'], name, ...more });
const pathsOf = (folder: string) => readdirSync(join(folder, 'crawls')).sort();

test('after a kill the crawls that were to run are started, and the others are left alone', async () => {
  const folder = temporaryFolder();
  const before = await fleetIn(folder);
  for (const name of ['a', 'b', 'c', 'd']) await before.fleet.create(callOf(name));
  await before.fleet.wish('b', 'paused');
  await before.fleet.wish('c', 'ended');
  before.started[3]![1].end('done');
  await until(() => before.fleet.list().some(({ end }) => end === 'done'));
  // Nothing is told to anybody: the process is gone.
  const after = await fleetIn(folder);
  await until(() => after.names().length > 0);
  assert.deepEqual(after.names(), ['a']);
  assert.deepEqual(
    after.fleet.list().map(({ name, state, end, counts }) => [name, state, end, counts.pages]),
    [
      ['a', 'starting', null, 7],
      ['b', 'paused', null, 7],
      ['c', 'ended', 'stopped', 7],
      ['d', 'ended', 'done', 7],
    ],
  );
  await after.fleet.wish('b', 'running');
  assert.deepEqual(after.names(), ['a', 'b']);
});

test('half-created and half-deleted crawls are removed after a kill', async () => {
  const folder = temporaryFolder();
  for (const name of ['.new-x', '.gone-1-0-y']) {
    mkdirSync(join(folder, 'crawls', name), { recursive: true });
    writeFileSync(join(folder, 'crawls', name, 'file'), '');
  }
  const { fleet } = await fleetIn(folder);
  assert.deepEqual(pathsOf(folder), []);
  await fleet.create(callOf('x'));
  assert.deepEqual(pathsOf(folder), ['x']);
  // Its file is torn: nobody guesses.
  writeFileSync(join(folder, 'crawls', 'x', 'fleet.json'), '{"format":1');
  await assert.rejects(new CrawlFiles(folder).list(), /fleet\.json cannot be read/);
});

test('a call that its owner has no room for is refused before the fleet works on its policy', async () => {
  const { fleet } = await fleetIn(temporaryFolder());
  let worked = 0;
  const policy = { toJSON: () => ++worked };
  const call = { ...callOf('a'), policy };
  const judge = () => {
    throw new Error('no room');
  };
  await assert.rejects(fleet.create(call, 'owner', judge), /no room/);
  assert.equal(worked, 0);
});

test('external data of a crawl is freed when it is deleted, once more after a kill, and before its files', async () => {
  const folder = temporaryFolder();
  const { fleet } = await fleetIn(folder);
  for (const name of ['a', 'b']) await fleet.create(callOf(name));
  const gone: string[] = [];
  const killed = new CrawlFiles(folder, async (path) => {
    gone.push(...readdirSync(path));
    throw new Error('killed');
  });
  await assert.rejects(killed.remove('a'), /killed/);
  const files = new CrawlFiles(folder, async (path) => void gone.push(...readdirSync(path)));
  assert.deepEqual(
    (await files.list()).map(({ name }) => name),
    ['b'],
  );
  await files.remove('b');
  assert.deepEqual([gone, pathsOf(folder)], [['fleet.json', 'fleet.json', 'fleet.json'], []]);
});

test('a crawl that could not be created leaves its name and key free', async () => {
  const folder = temporaryFolder();
  let isFull = true;
  const make = async (path: string) => {
    await mkdir(path);
    if (isFull) throw new Error('no room');
  };
  const { fleet, names } = await fleetIn(folder, { make });
  const both = [fleet.create(callOf('a', { idempotencyKey: 'k' })), fleet.create(callOf('a', { idempotencyKey: 'k' }))];
  for (const one of await Promise.allSettled(both)) assert.equal(one.status, 'rejected');
  assert.deepEqual(fleet.list(), []);
  isFull = false;
  const twice = await Promise.all([1, 2].map(() => fleet.create(callOf('a', { idempotencyKey: 'k' }))));
  assert.deepEqual(twice.map(({ isNew }) => isNew).sort(), [false, true]);
  assert.deepEqual(names(), ['a']);
});

test('a failing crawl is reported and kept; the others go on, and it can be resumed', async () => {
  const folder = temporaryFolder();
  const { fleet, started, said, names } = await fleetIn(folder);
  for (const name of ['a', 'b']) await fleet.create(callOf(name));
  for (const [, crawl] of started) crawl.isUp();
  await until(() => fleet.find('a')!.state === 'running' && fleet.find('b')!.state === 'running');
  started[0]![1].end(new Error('its disk is gone'));
  await until(() => fleet.find('a')!.state !== 'running');
  assert.deepEqual([fleet.find('a')!.state, fleet.find('a')!.failure], ['failed', 'its disk is gone']);
  assert.equal(fleet.find('b')!.state, 'running');
  assert.match(said.join(), /a: .*its disk is gone/);
  await fleet.wish('a', 'running');
  assert.deepEqual([fleet.find('a')!.state, fleet.find('a')!.failure], ['starting', null]);
  assert.deepEqual(names(), ['a', 'b', 'a']);
  await fleet.stop();
  assert.ok(started.slice(1).every(([, { isStopped }]) => isStopped));
  // What was wanted stays so.
  const { wish } = JSON.parse(readFileSync(join(folder, 'crawls', 'b', 'fleet.json'), 'utf8'));
  assert.equal(wish, 'running');
  await assert.rejects(fleet.create(callOf('c')), /is stopping/);
});

test('a crawl that is paused or deleted while it waits for its start is not started', async () => {
  const folder = temporaryFolder();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const before = await fleetIn(folder);
  for (const name of names) await before.fleet.create(callOf(name));
  const after = await fleetIn(folder);
  await until(() => after.names().length >= 4);
  assert.deepEqual(after.names(), ['a', 'b', 'c', 'd']);
  await after.fleet.wish('e', 'paused');
  await after.fleet.delete('f');
  for (const [, crawl] of after.started) crawl.isUp();
  await until(() => after.names().length >= 5);
  assert.deepEqual(after.names(), ['a', 'b', 'c', 'd', 'g']);
  after.started.at(-1)![1].isUp();
  await after.opened;
  assert.ok(!existsSync(join(folder, 'crawls', 'f')));
});

test('after a restart, starts that wait for the share of their owner do not keep those of other owners', async () => {
  const folder = temporaryFolder();
  const before = await fleetIn(folder);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await before.fleet.create(callOf(name));
  const start: FleetOptions['start'] = () => Object.assign(controlled(), { isWaiting: true });
  const after = await fleetIn(folder, { start });
  await after.opened;
  assert.deepEqual(
    after.fleet.list().map(({ state }) => state),
    Array(5).fill('starting'),
  );
});

test('crawls whose starts wait take no room from others, and need it when they go on', async () => {
  const folder = temporaryFolder();
  const before = await fleetIn(folder);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await before.fleet.create(callOf(name));
  const opening: number[] = [];
  const goesOn: (() => void)[] = [];
  const after = await fleetIn(folder, {
    refuseWithoutRoom(count) {
      opening.push(count);
      if (count >= 2) throw new Error('no room');
    },
    start({ name }, _, needRoom) {
      const crawl = Object.assign(controlled(), { isWaiting: name < 'd', isUp: () => {} });
      goesOn.push(() => {
        needRoom();
        crawl.isWaiting = false;
      });
      return crawl;
    },
  });
  await until(() => opening.length === 5);
  assert.deepEqual(opening, [0, 0, 0, 0, 1]);
  assert.equal(after.fleet.list().filter(({ state }) => state === 'failed').length, 0);
  assert.throws(goesOn[0]!, /no room/);
});

test('a read of a crawl whose start waits for its owner’s share fails at once; one that opens its log is waited for', async () => {
  const { fleet, started } = await fleetIn(temporaryFolder(), {
    start: () => {
      const crawl = Object.assign(controlled(), { isWaiting: true });
      started.push(['a', crawl]);
      return crawl;
    },
  });
  await fleet.create(callOf('a'));
  const [, crawl] = started[0]!;
  let tries = 0;
  const reading = async () => {
    tries += 1;
    throw new Error('there is no log yet');
  };
  const read = () => readCrawl({ fleet, reading }, fleet.find('a')!, async () => 1);
  await assert.rejects(read(), /there is no log yet/);
  assert.ok(tries <= 3, `${tries} tries`);
  crawl.isWaiting = false;
  const answer = read();
  await new Promise((resolve) => setTimeout(resolve, 20));
  Object.assign(crawl, { reads: {} });
  crawl.isUp();
  assert.equal(await answer, 1);
});

test('calls for one crawl run one after another, whatever their order in time', async () => {
  const folder = temporaryFolder();
  const { fleet, started } = await fleetIn(folder);
  await fleet.create(callOf('a'));
  const all = await Promise.all([
    fleet.wish('a', 'paused'),
    fleet.wish('a', 'running'),
    fleet.wish('a', 'paused'),
    fleet.delete('a'),
    fleet.delete('a'),
  ]);
  assert.deepEqual(all.slice(3), [true, true]);
  assert.equal(started.length, 2);
  assert.deepEqual(pathsOf(folder), []);
  assert.equal(await fleet.wish('a', 'paused'), undefined);
  assert.equal(await fleet.delete('a'), false);
});

test('a generated name comes from the host, and is unique', () => {
  const taken = new Set(['example-org', 'example-org-2']);
  assert.equal(
    newName('https://www.Example.org/x', (name) => taken.has(name)),
    'example-org-3',
  );
  assert.equal(
    newName('http://[::1]:8080/', () => false),
    '1-8080',
  );
  assert.ok(newName(`http://${'a'.repeat(60)}.test/`, () => false).length <= 63);
});

test('a crawl that is shown as ended has ended, however long its log takes to be read', async () => {
  const folder = temporaryFolder();
  const { fleet, started } = await fleetIn(folder, {
    pagesEnd: () => new Promise((resolve) => setTimeout(resolve, 50, 7)),
  });
  await fleet.create(callOf('a'));
  started[0]![1].isUp();
  await until(() => fleet.list()[0]!.state === 'running');
  started[0]![1].end('done');
  await until(() => fleet.list()[0]!.end !== null);
  assert.deepEqual([fleet.list()[0]!.state, fleet.list()[0]!.end], ['ended', 'done']);
  const [file] = await new CrawlFiles(folder).list();
  assert.deepEqual(
    file?.changes.map(({ kind, detail }) => [kind, detail]),
    [
      ['created', ''],
      ['ended', 'done'],
    ],
  );
});

test('a crawl that ends by itself during a pause or end call has ended, in memory, on disk and among its changes', async () => {
  for (const wish of ['paused', 'ended'] as const) {
    const folder = temporaryFolder();
    const [begun, asked, written] = [signal(), signal(), signal()];
    /** Its end is being written when it is asked for; what is written besides comes last. */
    class Slow extends CrawlFiles {
      override async write(file: CrawlFile): Promise<void> {
        if (file.end === 'done') {
          begun.give();
          await asked.given;
        } else await written.given;
        await super.write(file);
        written.give();
      }
    }
    const { fleet, started, said } = await fleetIn(folder, { files: new Slow(folder) });
    await fleet.create(callOf('a'));
    started[0]![1].end('done');
    await begun.given;
    const wished = fleet.wish('a', wish);
    await new Promise((resolve) => setImmediate(resolve));
    asked.give();
    const answer = await wished;
    assert.deepEqual([answer!.state, answer!.end], ['ended', 'done'], wish);
    const [file] = await new CrawlFiles(folder).list();
    assert.deepEqual([file!.wish, file!.end, file!.counts.pages], ['ended', 'done', 7]);
    assert.deepEqual(
      file!.changes.map(({ n, kind, detail }) => [n, kind, detail]),
      [
        [0, 'created', ''],
        [1, 'ended', 'done'],
      ],
    );
    assert.deepEqual(said, []);
  }
});

test('a crawl whose data could not be removed at first is deleted by the next call, and its name is free', async () => {
  const folder = temporaryFolder();
  let isFull = true;
  const files = new CrawlFiles(folder, async () => {
    if (isFull) throw new Error('no room');
  });
  const { fleet } = await fleetIn(folder, { files });
  await fleet.create(callOf('a'));
  await assert.rejects(fleet.delete('a'), /no room/);
  isFull = false;
  assert.equal(await fleet.delete('a'), true);
  assert.deepEqual([fleet.list(), pathsOf(folder)], [[], []]);
  await fleet.create(callOf('a'));
  assert.deepEqual(pathsOf(folder), ['a']);
});

for (const verb of ['pause', 'resume', 'end', 'delete'] as const)
  test(`a ${verb} that waits behind a DELETE does nothing to a new crawl of that name`, async () => {
    const folder = temporaryFolder();
    const { fleet, started } = await fleetIn(folder);
    await fleet.create(callOf('a', { owner: 'old' }));
    await fleet.wish('a', 'paused');
    const wishes = { pause: 'paused', resume: 'running', end: 'ended' } as const;
    const call = () => (verb === 'delete' ? fleet.delete('a') : fleet.wish('a', wishes[verb]));
    const gone = fleet.delete('a');
    const queued = Array.from({ length: 5 }, call);
    assert.equal(await gone, true);
    await fleet.create(callOf('a', { owner: 'new' }));
    for (const answer of await Promise.all(queued)) assert.equal(answer, verb === 'delete' ? true : undefined);
    const [one, ...others] = fleet.list();
    assert.deepEqual([one!.owner, one!.state, others], ['new', 'starting', []]);
    assert.equal(started.length, 2, 'the crawl of before is not started again');
    const kept = JSON.parse(readFileSync(join(folder, 'crawls', 'a', 'fleet.json'), 'utf8')) as CrawlFile;
    assert.deepEqual([kept.owner, kept.wish], ['new', 'running']);
  });

test('concurrent calls that start crawls are checked in turn, each against what the earlier ones started', async () => {
  const { fleet } = await fleetIn(temporaryFolder(), {
    // What is done takes a while: it is judged before that.
    pagesEnd: () => new Promise((resolve) => setTimeout(() => resolve(0), 20)),
  });
  const names = Array.from({ length: 8 }, (_, n) => `c${n}`);
  for (const name of names) {
    await fleet.create(callOf(name));
    await fleet.wish(name, 'paused');
  }
  const running = () => fleet.list().filter(({ state }) => state === 'starting' || state === 'running').length;
  const judge = () => {
    if (running() >= 2) throw new Error('two may run at once');
  };
  const all = await Promise.allSettled(names.map((name) => fleet.wish(name, 'running', judge)));
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 2);
  assert.equal(running(), 2);
  const made = await Promise.allSettled(['x', 'y'].map((name) => fleet.create(callOf(name), 'operator', judge)));
  assert.deepEqual(
    made.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});
