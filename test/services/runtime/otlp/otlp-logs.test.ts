/** Lines for a collector, and how often one that does not answer is asked. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { otlpLimits } from '../../../../services/runtime/otlp/otlp-limits.ts';
import { openOtlpLogs } from '../../../../services/runtime/otlp/otlp-logs.ts';
import { until } from '../../until.ts';

it('a collector that has not answered gets one more request at the end, however long its lines waited', async () => {
  const { linesPerExport, linesEveryMs } = otlpLimits;
  let sends = 0;
  let give: (arrived: boolean) => void = () => {};
  const send = () => {
    sends += 1;
    return sends === 1 ? new Promise<boolean>((resolve) => (give = resolve)) : Promise.resolve(false);
  };
  const counts = { exported: 0, failed: 0 };
  const logs = openOtlpLogs({ post: { send }, version: '', resource: () => ({ attributes: [] }), counts });
  for (let n = 0; n < 4 * linesPerExport; n++) logs.take({ text: `${n}`, level: 'info', component: 'a', fields: {} });
  await until(() => sends === 1);
  // Several looks at the queue come while it is being asked.
  await sleep(2.5 * linesEveryMs);
  const closed = logs.close();
  give(false);
  await closed;
  assert.deepEqual([sends, counts], [2, { exported: 0, failed: 2 * linesPerExport }]);
});
