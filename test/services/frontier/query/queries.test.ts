import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PartitionOwner } from '../../../../services/frontier/own/partition-owner.ts';
import { keepPlaces } from '../../../../services/frontier/query/known-places.ts';
import { ownPartitions } from '../../../../services/frontier/query/own-partitions.ts';
import { partitionPlaces } from '../../../../services/frontier/query/partition-places.ts';
import { type Held, Queries } from '../../../../services/frontier/query/queries.ts';
import { queryRoutes } from '../../../../services/frontier/query/query-routes.ts';
import { Standby } from '../../../../services/frontier/standby/standby.ts';
import type { MembersLog } from '../../../../services/runtime/crawl/frontier-members.ts';
import { type HttpServer, startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';
import type { GroupMember } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { clock, type Harness, identity, key, startHarness, until } from '../owner-harness.ts';

interface Asking {
  readonly server: HttpServer;
  readonly held: { owner?: PartitionOwner | undefined; standby?: Standby | undefined };
}

interface Body {
  readonly [field: string]: unknown;
  readonly from: { readonly member: string; readonly role: string; readonly asOfMs: number; readonly staleMs: number };
}

/** Three members of a crawl of one partition: its owner, its standby, and one that has nothing. */
describe('an HTTP query', { timeout: 60_000 }, () => {
  let harness: Harness;
  let owner: PartitionOwner;
  let owning: Promise<void>;
  let standby: Standby;
  let following: Promise<unknown>;
  const members: GroupMember[] = [];
  const asked = new Map<string, Asking>();

  const join = async (name: string, held: Held, share: Pick<GroupMember, 'owned' | 'standbys'>) => {
    const log: MembersLog = { ...harness.log, membersOf: async () => members };
    const member = { name, held: () => asked.get(name)!.held };
    const queries = new Queries({ log, clock, crawl: 't', member });
    const restores = new Map();
    const own = () => ownPartitions(1, member, restores);
    const look = async () =>
      partitionPlaces({
        log,
        crawl: 't',
        partitions: 1,
        members: await queries.members(),
        self: member,
        restores,
        queries,
      });
    // They are looked at from the first question on: by then all three are members.
    let places: ReturnType<typeof keepPlaces> | undefined;
    const placesNow = () => (places ??= keepPlaces({ clock, look, own, isCutOff: () => false }))();
    const server = await startHttpServer({
      listen: { host: '127.0.0.1', port: 0 },
      probes: new Probes(),
      metrics: async () => ({ type: 'text/plain', text: '' }),
      routes: [queryRoutes(() => ({ partitions: 1, keyMode: 'host', queries, places: placesNow, own }))],
      onBug: (error) => assert.fail(error as Error),
    });
    asked.set(name, { server, held: { ...held } });
    members.push({ name, address: server.address, ...share });
  };
  const get = async (name: string, target: string) => {
    const response = await fetch(`http://${asked.get(name)!.server.address}${target}`);
    return { status: response.status, body: (await response.json()) as Body };
  };

  before(async () => {
    harness = await startHarness();
    owner = harness.owner({ leasesMax: 1 });
    owning = owner.run();
    standby = new Standby({ log: harness.log, store: createMemoryStore(), identity, key, clock, rank: 1 });
    following = standby.run();
    const pages = Array.from({ length: 90 }, (_, i) => `https://www.example.org/${i}`);
    await harness.discoverUrls([...pages, 'https://other.example.com/']);
    await until(() => owner.committed?.counters.admitted === 91 && owner.committed.counters.leases === 1);
    await until(() => standby.state?.counters.admitted === 91 && standby.state.counters.leases === 1);
    await join('a', { owner }, { owned: [0], standbys: [] });
    await join('b', { standby }, { owned: [], standbys: [{ partition: 0, rank: 1 }] });
    await join('c', {}, { owned: [], standbys: [] });
  });
  after(async () => {
    await Promise.all([...asked.values()].map(({ server }) => server.close()));
    owner.stop();
    standby.stop();
    await Promise.all([owning, following]);
  });

  it('an HTTP query gets the owner’s answer from any member', async () => {
    for (const target of ['/hosts/www.example.org?limit=5', '/urls?url=https%3A%2F%2Fwww.example.org%2F88']) {
      const answers = await Promise.all(['a', 'b', 'c'].map((name) => get(name, target)));
      for (const { status, body } of answers) {
        assert.equal(status, 200);
        assert.deepEqual([body.from.member, body.from.role, body.from.staleMs], ['a', 'owner', 0]);
        assert.deepEqual({ ...body, from: null }, { ...answers[0]!.body, from: null });
      }
    }
  });

  it('an HTTP query shows a host, and pages through its queue', async () => {
    const { body } = await get('c', '/hosts/www.example.org?limit=50');
    const leases = body['leases'] as { readonly urls: number }[];
    const frontQueues = body['frontQueues'] as { readonly urls: number }[];
    const { crawlDelayMs, hold } = body['facts'] as Record<string, unknown>;
    assert.deepEqual([crawlDelayMs, hold], [null, '']);
    const onLease = leases.reduce((sum, { urls }) => sum + urls, 0);
    assert.equal(onLease + frontQueues.reduce((sum, { urls }) => sum + urls, 0), 90);
    const seen = new Set<string>();
    let from = '';
    for (;;) {
      const page = (await get('c', `/hosts/www.example.org?limit=20${from && `&from=${from}`}`)).body;
      for (const { url } of page['queue'] as { readonly url: string }[]) {
        assert.ok(!seen.has(url), `${url} comes twice`);
        seen.add(url);
      }
      if (page['next'] === null) break;
      from = page['next'] as string;
    }
    assert.equal(seen.size, 90 - onLease);
  });

  it('an HTTP query lists the hosts of all partitions, in the requested order, from any member', async () => {
    for (const name of ['a', 'b', 'c']) {
      const { status, body } = await get(name, '/hosts?sort=queued&limit=1');
      assert.equal(status, 200);
      const [host] = body['hosts'] as { host: string; queued: number; partition: number }[];
      assert.deepEqual([host?.host, host?.partition], ['www.example.org', 0]);
      assert.ok(host!.queued > 0);
      assert.deepEqual([body['matched'], body['known'], body['missing']], [2, 2, []]);
      const [from] = body['from'] as unknown as Body['from'][];
      assert.deepEqual([from?.member, from?.role], ['a', 'owner']);
    }
    const found = (await get('c', '/hosts?search=OTHER')).body['hosts'] as { host: string }[];
    assert.deepEqual(
      found.map(({ host }) => host),
      ['other.example.com'],
    );
  });

  it('an HTTP query finds a URL in any spelling, and reports unseen ones', async () => {
    const place = async (url: string) => (await get('b', `/urls?url=${encodeURIComponent(url)}`)).body;
    const waits = await place('HTTPS://www.EXAMPLE.org:443/88#top');
    assert.equal(waits['url'], 'https://www.example.org/88');
    assert.deepEqual([waits['seen'], (waits['place'] as { in: string }).in], [true, 'frontQueue']);
    const never = await place('https://www.example.org/never');
    assert.deepEqual([never['seen'], never['place']], [false, null]);
    assert.deepEqual([(await place('https://nowhere.example/'))['seen']], [false]);
  });

  it('an HTTP query that makes no sense is refused by name', async () => {
    assert.deepEqual((await get('c', '/hosts/nowhere.example')).status, 404);
    assert.match(
      String((await get('c', '/hosts/nowhere.example')).body['message']),
      /does not know host nowhere\.example/,
    );
    for (const [target, says] of [
      ['/urls', /url is missing/],
      ['/urls?url=', /cannot|can be crawled/],
      ['/hosts/www.example.org?limit=x', /limit "x": give a number/],
      ['/hosts/www.example.org?from=7', /from "7": send "next"/],
      ['/hosts?sort=size', /sort "size": give one of queued, fetched/],
      ['/hosts?limit=1001', /limit "1001": give a number from 0 to 1000/],
      ['/hosts?partition=1', /partition "1": the crawl has partitions 0 to 0/],
    ] as const) {
      const { status, body } = await get('a', target);
      assert.equal(status, 400, target);
      assert.match(String(body['message']), says);
    }
  });

  it('an HTTP query is answered by the standby, with its age, if the owner does not answer', async () => {
    const { held } = asked.get('a')!;
    held.owner = undefined;
    try {
      for (const name of ['b', 'c', 'a']) {
        const { status, body } = await get(name, '/hosts/www.example.org?limit=1');
        assert.equal(status, 200);
        assert.deepEqual([body.from.member, body.from.role], ['b', 'standby'], name);
        assert.ok(body.from.asOfMs > 0 && body.from.staleMs >= 0 && body.from.staleMs < 30_000, `${body.from.staleMs}`);
      }
      asked.get('b')!.held.standby = undefined;
      const { status, body } = await get('c', '/hosts/www.example.org');
      assert.equal(status, 503);
      assert.equal((await get('c', '/hosts')).status, 503);
      assert.match(String(body['message']), /no process with partition 0 can be reached/);
    } finally {
      held.owner = owner;
      asked.get('b')!.held.standby = standby;
    }
  });

  it('an HTTP query shows every partition, its owner and its copies', async () => {
    const { body } = await get('c', '/partitions');
    const [one] = body['partitions'] as Record<string, unknown>[];
    const { owner: name, address, standbys, hosts, queued, leased, restored, readyHosts, delayedHosts } = one!;
    assert.deepEqual([name, address, hosts], ['a', asked.get('a')!.server.address, 2]);
    assert.equal((queued as number) + (leased as number), 91);
    // What only its owner knows, told by another member.
    assert.equal(restored, 1);
    assert.ok((readyHosts as number) + (delayedHosts as number) >= 1, `${readyHosts}, ${delayedHosts}`);
    assert.deepEqual(
      (standbys as { member: string; rank: number }[]).map(({ member, rank }) => [member, rank]),
      [['b', 1]],
    );
  });
});
