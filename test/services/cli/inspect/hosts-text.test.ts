import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { OutcomeKind } from '../../../../schemas/types.ts';
import { hostText } from '../../../../services/cli/inspect/hosts-text.ts';
import { answerHost } from '../../../../topology/frontier/ask/queries.ts';

/** What `hosts a.test` prints after one lease whose URLs all ended so. */
function textAfter(kind: OutcomeKind, status: number): string {
  const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 3, retriesMs: [60_000] });
  hand.links('a.test', 9);
  const task = hand.lease();
  hand.rig.send(
    'results',
    hand.resultOf(task, () => ({ status }), { kind }),
  );
  hand.rig.step(hand.nowMs, 0);
  const { done, value } = answerHost(hand.rig.core.state, 'a.test', 0, null as never).next();
  assert.ok(done, 'everything is in memory');
  return hostText({ partition: 0, ...value! } as never, hand.nowMs);
}

test('hosts HOST names errors of the server, apart from answers that ask to wait', () => {
  const failing = textAfter('serverError', 500);
  assert.match(failing, /^back-offs +1 since the last good answer, after server errors$/m);
  assert.match(failing, /^server errors +3 URLs in a row$/m);
  const busy = textAfter('throttled', 429);
  assert.match(busy, /^back-offs +1 since the last good answer, after throttled answers or timeouts$/m);
  assert.doesNotMatch(busy + textAfter('fetched', 200), /server errors/);
});
