/** Two owners crawl one host, and all pages of one of them are refused: the other is not kept waiting behind each back-off. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';
import { type FleetClient, startFleet } from './running-fleet.ts';

const keyOf = (owner: string) => `key-of-${owner}-0123456789abcdef`;
const pages = 20;

describe('a host of two owners', () => {
  let fleet: FleetClient;
  let port = 0;
  const failed = new Map<string, number>();
  /** Good pages that were given, by host. */
  const good = new Map<string, Set<number>>();
  const site = createServer((request, response) => {
    const [, kind, number] = request.url!.split('/');
    const n = Number(number);
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    if (kind !== 'good') {
      failed.set(kind!, (failed.get(kind!) ?? 0) + 1);
      return void response.writeHead(Number(kind)).end();
    }
    const host = request.headers.host!;
    good.set(host, (good.get(host) ?? new Set<number>()).add(n));
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${n}</title>${n < pages ? `<a href="/good/${n + 1}">next</a>` : ''}`);
  });

  before(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    port = (site.address() as AddressInfo).port;
    const folder = temporaryFolder();
    const owners = join(folder, 'owners.yaml');
    writeFileSync(owners, '- { name: eve, key: { env: KEY_EVE } }\n- { name: ann, key: { env: KEY_ANN } }\n');
    const env = { ...process.env, KEY_EVE: keyOf('eve'), KEY_ANN: keyOf('ann') };
    const resolve = ['--resolve', `*.test:${port}:127.0.0.1`];
    const flags = [...resolve, '--host-delay', '20ms', '--contact', 'me@example.org', '--owners', owners];
    fleet = await startFleet(join(folder, 'fleet'), flags, { env });
  });
  after(() => {
    fleet.running.child.kill('SIGKILL');
    site.close();
  });

  for (const [status, what] of [
    [500, 'fails'],
    [429, 'is answered with a request for fewer requests'],
  ] as const)
    it(`the crawl of one is done within some back-offs while each page of the other ${what} (${status})`, async () => {
      const authorizationOf = (owner: string) => ({ authorization: `Bearer ${keyOf(owner)}` });
      const as = (owner: string, seeds: string[], policy: object) => {
        const call = { name: `${owner}-${status}`, seeds, policy: { delayMs: 20, delayFactor: 0, ...policy } };
        return fleet.call('POST', '/v1/crawls', call, authorizationOf(owner));
      };
      const base = `http://shared-${status}.test:${port}`;
      const bad = Array.from({ length: 60 }, (_, n) => `${base}/${status}/${n}`);
      const hostile = await as('eve', bad, { retriesMs: Array.from({ length: 20 }, () => 1) });
      assert.equal(hostile.status, 201, JSON.stringify(hostile.body));
      await until(() => (failed.get(`${status}`) ?? 0) > 0, 30_000);
      assert.equal((await as('ann', [`${base}/good/1`], {})).status, 201);
      await until(() => good.get(new URL(base).host)?.size === pages, 60_000);
      const { status: gone } = await fleet.call(
        'DELETE',
        `/v1/crawls/eve-${status}`,
        undefined,
        authorizationOf('eve'),
      );
      assert.equal(gone, 204);
    });
});
