/**
 * Each ordered pair of a fleet's calls, at once, while the crawl that they are about is deleted and made again. Routes are those that
 * the fleet declares, so that a new one is raced too.
 *
 * `CRAWLSTREAM_TEST_RACE_ROUNDS`: so many rounds over all pairs, 1 if it is not set. Rounds differ in the order of the calls, in the
 * crawl's state, and in who calls and who makes it again.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { type FleetHere, fleetHere, operator } from './fleet-here.ts';
import { assertSame, type Expected, type Race, race, storedFile } from './race.ts';

const rounds = Number(process.env['CRAWLSTREAM_TEST_RACE_ROUNDS'] ?? 1);
const lanes = 6;
/** Of an owner: the crawl of the race, and a single page. */
const [crawlsMax, weightMax] = [2, 2];
const owners = Array.from({ length: lanes }, (_, lane) => [`old-${lane}`, `new-${lane}`]).flat();

test('no call does anything to a crawl that takes the name of the one that it was about', async () => {
  const folder = temporaryFolder();
  const sites = await Promise.all(owners.map((owner, n) => startSite(owner, `127.0.0.${n + 2}`)));
  const flags = sites.flatMap(({ name, port, address }) => ['--resolve', `*.${name}.test:${port}:${address}`]);
  const quotas = { crawlsMax, weightMax, callsPerMinute: 10_000_000 };
  const open = () =>
    fleetHere(
      folder,
      [...flags, '--host-delay', '0s', '--contact', 'me@example.org'],
      owners.map((name) => ({ name, ...quotas })),
    );
  const fleet = await open();
  const watch = watchQuotas(fleet);
  const kept = new Map<number, Expected>();
  const findings: string[] = [];
  const races = allRaces(fleet);
  const pairs = races.length;
  const run = async (lane: number) => {
    for (let next = races.shift(); next !== undefined; next = races.shift()) {
      const name = `raced-${lane}-${pairs - races.length}`;
      const [owner, other] = [`old-${lane}`, `new-${lane}`];
      // A host has its delay for all crawls of a fleet: each race has hosts of its own.
      const urlOf = (of: string) => `http://${name}.${of}.test:${sites.find((site) => site.name === of)!.port}/`;
      const one: Race = {
        ...{ ...next, name, owner, newOwner: next.isSameOwner ? owner : other },
        caller: next.isOperator ? operator : owner,
        urls: { before: urlOf(owner), new: urlOf(other) },
      };
      try {
        const expected = await race(fleet, folder, one);
        // One of each lane is there at the restart.
        if (!kept.has(lane) && expected.owner === other) kept.set(lane, expected);
        else await fleet.call(operator, 'DELETE', `/v1/crawls/${name}`).answer;
      } catch (error) {
        findings.push(`${described(one)}: ${(error as Error).message.slice(0, 1_000)}`);
        await fleet.call(operator, 'DELETE', `/v1/crawls/${name}`).answer.catch(() => {});
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
  console.log(`${fleet.routes.length} routes, ${pairs} races, ${findings.length} found`);
  assert.deepEqual([...findings.slice(0, 10), ...watch.stop()], []);
  assert.ok(pairs >= fleet.routes.length ** 2 && fleet.routes.length > 20);
  await fleet.stop();
  const again = await open();
  try {
    for (const expected of kept.values()) {
      assertSame(again.parts.fleet.file(expected.name)!, expected);
      assertSame(storedFile(folder, expected.name), expected);
    }
    const names = again.parts.fleet.names.filter((name) => name.startsWith('raced-'));
    assert.deepEqual(names.sort(), [...kept.values()].map(({ name }) => name).sort());
  } finally {
    await again.stop();
  }
});

interface Drawn extends Pick<Race, 'first' | 'second' | 'before' | 'state'> {
  readonly isOperator: boolean;
  readonly isSameOwner: boolean;
}

/** Each pair once a round. */
function allRaces({ routes }: FleetHere): Drawn[] {
  const races: Drawn[] = [];
  for (let round = 0; round < rounds; round++)
    for (const [i, first] of routes.entries())
      for (const [j, second] of routes.entries()) {
        const turn = i + j + round;
        races.push({
          ...{ first, second, before: turn % 3, state: (['running', 'paused', 'ended'] as const)[(i + round) % 3]! },
          isOperator: (i * routes.length + j + round) % 2 === 1,
          isSameOwner: turn % 4 === 0,
        });
      }
  return races;
}

function described({ first, second, before, state, caller, newOwner }: Race): string {
  const call = ({ method, path }: Race['first']) => `${method} ${path}`;
  return `${call(first)} and ${call(second)} by ${caller}, ${before} before the DELETE of a crawl that is ${state}, made again by ${newOwner}`;
}

/** Quotas hold at every moment, not at the end alone. */
function watchQuotas({ parts }: FleetHere) {
  const findings = new Set<string>();
  const timer = setInterval(() => {
    for (const owner of owners) {
      const running = parts.fleet.list(owner).filter(({ state }) => !['ended', 'failed', 'paused'].includes(state));
      const weight = running.reduce((sum, one) => sum + one.weight, 0);
      if (running.length > crawlsMax || weight > weightMax)
        findings.add(`${owner} runs ${running.map(({ name, state }) => `${name} ${state}`).join(', ')}`);
    }
  }, 5);
  return {
    stop(): string[] {
      clearInterval(timer);
      return [...findings];
    },
  };
}

/** A site without an end, at an address of its own: the wait between two requests to an address is no part of this. */
async function startSite(name: string, address: string) {
  const server = createServer((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    const page = Number(request.url?.slice(1)) || 0;
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${name} ${page}</title><a href="/${page + 1}">next</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  after(() => server.close());
  after(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { name, port, address };
}
