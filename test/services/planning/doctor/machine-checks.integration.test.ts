/** The checks of `doctor` that need a socket alone. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { freePorts } from '../../../../lab/kafka/daemon.ts';
import { checkPort } from '../../../../services/planning/doctor/machine-checks.ts';

it('a port that a crawl listens on is for a dashboard as well, and so is the remedy if it is taken', async (t) => {
  const [port] = (await freePorts(1)) as [number];
  const place = { host: '127.0.0.1', port };
  assert.deepEqual(await checkPort(place), {
    ...{ check: `port ${port}`, state: 'ok', text: 'free on 127.0.0.1, for --http or a dashboard' },
  });
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((done) => server.listen(place, done));
  assert.match((await checkPort(place)).remedy!, new RegExp(`--http 127\\.0\\.0\\.1:${port + 1} .*--dashboard`));
});
