import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GuardedTopic, risksOf } from '../../../../../services/runtime/log/kafka/topic-risks.ts';

const topic = (replicas: number, insync: number, unclean = false, name = 'news.control'): GuardedTopic => ({
  name,
  replicas,
  settings: { 'min.insync.replicas': `${insync}`, 'unclean.leader.election.enable': `${unclean}` },
});

test('topics that are guarded as they are made have no risk, and neither has a broker that is alone', () => {
  assert.deepEqual(risksOf([topic(3, 2), topic(5, 3)]), []);
  assert.deepEqual(risksOf([topic(1, 1), topic(1, 1, true)]), []);
  assert.deepEqual(risksOf([]), []);
});

test('each kind of risk is told once, with what mends it', () => {
  const [unclean, ...others] = risksOf([topic(3, 2, true), topic(3, 2, true, 'news.results')]);
  assert.match(unclean!, /^topic news\.control, and 1 more: unclean.*--entity-name news\.control --add-config unclean/);
  assert.deepEqual(others, []);
  assert.match(risksOf([topic(3, 1)]).join(), /^topic news\.control: min\.insync\.replicas=1,/);
  assert.match(risksOf([topic(3, 3)]).join(), /one missing broker stops all appends/);
  assert.match(risksOf([topic(2, 2)]).join(), /one missing broker stops all appends/);
  assert.equal(risksOf([topic(3, 1, true)]).length, 2);
});
