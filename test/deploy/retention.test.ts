/** How long records are kept is one story: topology/topics.ts is where it is decided, and pages and model say the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { durationText } from '../../services/cli/plan/size-text.ts';
import { sizeDefaults, sizeOf } from '../../services/planning/size-model.ts';
import { topicNames, topics } from '../../topology/topics.ts';

const kafka = readFileSync(join(import.meta.dirname, '../../deploy/KAFKA.md'), 'utf8');

test('the table of topics names each once, with its settings', () => {
  const rows = [...kafka.matchAll(/^\| (`[^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
    .map(([, names, time, bytes]) => ({ names: names!.replaceAll('`', '').split(', '), time, bytes }))
    .filter(({ names }) => names.every((name) => (topicNames as readonly string[]).includes(name)));
  assert.deepEqual(rows.flatMap(({ names }) => names).sort(), [...topicNames].sort());
  for (const { names, time, bytes } of rows) {
    for (const name of names as (keyof typeof topics)[]) {
      const { kept, retention, settings } = topics[name];
      if (kept === undefined) {
        assert.match(time!, /for ever/, name);
        assert.match(bytes!, /^no limit/, name);
        assert.ok(retention === 'state' || settings?.['cleanup.policy'] === 'compact', name);
        continue;
      }
      assert.equal(time, `${kept.days} day${kept.days === 1 ? '' : 's'}`, name);
      assert.equal(bytes, `${kept.bytes / 2 ** 30} GiB`, name);
      assert.equal(settings?.['retention.ms'], `${kept.days * 86_400_000}`, name);
      assert.equal(settings?.['retention.bytes'], `${kept.bytes}`, name);
    }
  }
});

const input = { ...sizeDefaults, urls: 100e6, hosts: 1e6, rate: 500, delayMs: 1000 };

test('the model keeps pages as long as their topic does: by time, or by bytes if that is shorter', () => {
  const { days, bytes } = topics.pages.kept!;
  const { brokers, partitions } = sizeOf(input);
  const aSecond = (partitions * bytes) / brokers.pagesKeptSeconds;
  assert.ok(brokers.pagesKeptSeconds < days * 86_400 && brokers.pagesRetentionBytes === bytes);
  assert.equal(sizeOf({ ...input, rate: 20, urls: 1e6 }).brokers.pagesKeptSeconds, days * 86_400);
  const week = sizeOf({ ...input, pagesKeptDays: 7 }).brokers;
  assert.equal(week.pagesKeptSeconds, 7 * 86_400);
  assert.equal(week.pagesRetentionBytes, Math.ceil((aSecond * 7 * 86_400) / partitions));
  assert.ok(week.diskBytes > brokers.diskBytes);
});

test('the page on Kafka repeats the example of the page on sizes', () => {
  const { brokers, partitions } = sizeOf(input);
  const lasts = durationText(brokers.pagesKeptSeconds / 86_400);
  const reported = /(\d+) GiB a partition are ([\d.]+ hours) at (\d+) pages a second on (\d+) partitions/.exec(kafka);
  assert.deepEqual(reported?.slice(1), [
    `${topics.pages.kept!.bytes / 2 ** 30}`,
    lasts,
    `${input.rate}`,
    `${partitions}`,
  ]);
});
