/** Calls that need no key cost the process of all crawls as much as others do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetParts } from '../../../../../services/extras/fleet/api/fleet-parts.ts';
import { fleetRoutes } from '../../../../../services/extras/fleet/api/fleet-routes.ts';
import { Callers } from '../../../../../services/extras/fleet/owners/callers.ts';
import { CallShares } from '../../../../../services/extras/fleet/shares/call-shares.ts';
import { LoopShares } from '../../../../../services/fetcher/pace/loop-shares.ts';
import { startHttpServer } from '../../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../../services/runtime/http/probes.ts';

/** A fleet on a loop that is always busy, in which crawls of twenty owners take a hundredth of the time each. */
async function startBusyFleet(onEnd: (act: () => Promise<void>) => void) {
  let [nowMs, waits] = [0, 0];
  const loop = new LoopShares({ nowMs: () => nowMs, utilization: () => 1 });
  const owners = Array.from({ length: 20 }, (_, n) => loop.join(`honest-${n}`));
  const pass = (ms: number) => {
    nowMs += ms;
    for (const owner of owners) owner.spend(ms / 100);
  };
  const clock = {
    nowMs: () => nowMs,
    async sleepUntil(untilMs: number) {
      waits += 1;
      pass(untilMs - nowMs);
    },
  };
  const calls = new CallShares(loop, clock);
  const callers = new Callers([], 'operator-'.repeat(3), { nowMs: () => nowMs });
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    routes: [fleetRoutes(() => ({ calls }) as unknown as FleetParts, callers)],
    onBug: (error) => assert.fail(error as Error),
  });
  onEnd(() => server.close());
  return { base: `http://${server.address}`, waits: () => waits, pass };
}

for (const path of ['/v1/openapi.json', '/no/such/path', '/v1/crawls']) {
  test(`a storm of calls of ${path} without a key has to wait`, async (t) => {
    const { base, waits, pass } = await startBusyFleet((act) => t.after(act));
    for (let call = 0; call < 400; call++) {
      pass(10);
      await (await fetch(base + path)).arrayBuffer();
    }
    assert.ok(waits() > 10, `${waits()} waits`);
    const before = waits();
    for (let call = 0; call < 20; call++) await (await fetch(`${base}/livez`)).text();
    assert.equal(waits(), before, 'probes never wait');
  });
}
