/** A stream that is asked for while a fleet starts: what is no stream would end a browser's EventSource for good. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetParts } from '../../../../services/extras/fleet/api/fleet-parts.ts';
import { fleetRoutes } from '../../../../services/extras/fleet/api/fleet-routes.ts';
import { startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { until } from '../../until.ts';

test('a stream waits for its fleet to be up', async (t) => {
  let asked = 0;
  let isUp = false;
  const fleet = { find: () => ({ name: 'one', owner: '' }), file: () => ({ name: 'one' }) };
  const events = { read: async () => ({ events: [], isOver: true }) };
  const desk = () => {
    asked += 1;
    if (!isUp) throw new CrawlstreamError('NOT_READY', 'not up yet');
    return { fleet, events } as unknown as FleetParts;
  };
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    routes: [fleetRoutes(desk)],
    onBug: (error) => assert.fail(error as Error),
  });
  t.after(() => server.close());
  const answer = fetch(`http://${server.address}/v1/crawls/one/events`);
  await until(() => asked > 1);
  isUp = true;
  assert.equal((await answer).status, 204, 'told to its end');
});
