import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecisionShare } from '../../../../../services/extras/fleet/shares/decision-share.ts';
import { shareLimits } from '../../../../../services/extras/fleet/shares/share-limits.ts';

test('a crawl with a long decision rests four times as long, and one with a short decision not at all', () => {
  let nowMs = 0;
  const share = new DecisionShare('c', undefined, () => nowMs);
  assert.equal(
    share.run(() => (nowMs += shareLimits.decisionMsFree - 1), true),
    nowMs,
  );
  assert.equal(share.restMs(), 0);
  share.run(() => (nowMs += 200), true);
  assert.equal(share.restMs(), 800);
  share.run(() => (nowMs += 1), true);
  assert.equal(share.restMs(), 0);
});

test('an endless decision is aborted, and the error names the crawl and the remedy', () => {
  const share = new DecisionShare('eve-1');
  const endless = () => {
    for (;;);
  };
  assert.throws(() => share.run(endless, true), {
    code: 'DECISION_TOO_SLOW',
    message: /eve-1.*policy set.*resume/,
  });
});
