import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchRisks } from '../../../../services/hosting/roles/watch-risks.ts';
import { kafkaLimits } from '../../../../services/runtime/log/kafka/kafka-limits.ts';
import type { TopicRisk } from '../../../../services/runtime/log/log.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';

const urgent: TopicRisk = { text: 'topic a.results: retention.ms is set (kafka-configs …)', isUrgent: true };
const other: TopicRisk = { text: 'topic a.control: long segments (kafka-configs …)', isUrgent: false };

test('a changed setting on a running crawl is one line when it comes and one when it ends', async () => {
  const clock = createFakeClock();
  const stopping = new AbortController();
  const lines: string[] = [];
  let now: readonly TopicRisk[] | undefined = [other];
  const watch = await watchRisks({
    look: async () => {
      if (now === undefined) throw new Error('no broker answers');
      return now;
    },
    ...{ clock, signal: stopping.signal, say: (text, level) => void lines.push(`${level} ${text.split(' (')[0]}`) },
  });
  const values = async () => {
    const reported: unknown[] = [];
    await watch.metrics({
      value: (name: string, value: number, labels: object) => reported.push([name, value, labels]),
    } as never);
    return reported;
  };
  assert.equal(watch.note(), null);
  now = [other, urgent];
  await clock.advance(kafkaLimits.risksEveryMs);
  assert.match(watch.note() ?? '', /retention\.ms is set/);
  assert.deepEqual(await values(), [
    ['crawlstream_topic_settings_wrong', 1, { urgent: 'yes' }],
    ['crawlstream_topic_settings_wrong', 1, { urgent: 'no' }],
  ]);
  now = undefined;
  await clock.advance(kafkaLimits.risksEveryMs);
  assert.match(watch.note() ?? '', /retention\.ms is set/, 'brokers that are away tell nothing new');
  now = [other];
  await clock.advance(kafkaLimits.risksEveryMs);
  await clock.advance(kafkaLimits.risksEveryMs);
  assert.equal(watch.note(), null);
  stopping.abort();
  assert.deepEqual(lines, [
    'warn topic a.control: long segments',
    'error topic a.results: retention.ms is set',
    'info resolved: topic a.results: retention.ms is set',
  ]);
});
