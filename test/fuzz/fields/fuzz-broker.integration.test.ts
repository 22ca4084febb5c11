/** Few of what `npm run fuzz:fields` sends to a real broker. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startBroker } from '../../../lab/kafka/broker.ts';
import { skipReason } from '../../../lab/kafka/components.ts';
import { fuzzBroker } from './fuzz-broker.ts';

const skip = (await skipReason()) ?? false;

it('no extreme in a field on a broker ends a frontier, a fetcher or a consumer', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const broker = await startBroker();
  t.after(() => broker.stop());
  const { inputs, findings } = await fuzzBroker(broker, 3_000, 1);
  assert.deepEqual(findings, []);
  assert.equal(inputs, 3_000);
});
