import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import {
  risksOf as allRisksOf,
  type GuardedTopic,
  readRisks,
} from '../../../../../services/runtime/log/kafka/topic-risks.ts';
import { CrawlstreamError } from '../../../../../topology/errors.ts';

const risksOf = (...given: Parameters<typeof allRisksOf>) => allRisksOf(...given).map(({ text }) => text);

const topic = (replicas: number, insync: number, unclean = false, name = 'news.control'): GuardedTopic => ({
  name,
  replicas,
  settings: { 'min.insync.replicas': `${insync}`, 'unclean.leader.election.enable': `${unclean}` },
});

test('topics with our settings have no risk, nor has a single broker', () => {
  assert.deepEqual(risksOf([topic(3, 2), topic(5, 3)]), []);
  assert.deepEqual(risksOf([topic(1, 1), topic(1, 1, true)]), []);
  assert.deepEqual(risksOf([]), []);
});

test('each kind of risk is reported once, with its remedy', () => {
  const [unclean, ...others] = risksOf([topic(3, 2, true), topic(3, 2, true, 'news.results')]);
  assert.match(unclean!, /^topic news\.control, and 1 more: unclean.*--entity-name news\.control --add-config unclean/);
  assert.deepEqual(others, []);
  assert.match(risksOf([topic(3, 1)]).join(), /^topic news\.control: min\.insync\.replicas=1,/);
  assert.match(risksOf([topic(3, 3)]).join(), /one missing broker stops all appends/);
  assert.match(risksOf([topic(2, 2)]).join(), /one missing broker stops all appends/);
  assert.equal(risksOf([topic(3, 1, true)]).length, 2);
});

const asMade = {
  'min.insync.replicas': '2',
  'retention.ms': '-1',
  'retention.bytes': '-1',
  'cleanup.policy': 'delete',
  'max.message.bytes': '8388608',
  'segment.bytes': '52428800',
  'segment.ms': '86400000',
};
const state = (changed: Partial<typeof asMade>, name = 'news.results'): GuardedTopic => ({
  ...{ name, replicas: 3, settings: { ...asMade, ...changed } },
  spec: { retention: 'state' },
});

test('settings with which brokers delete or refuse records are urgent, and named with their remedy', () => {
  assert.deepEqual(allRisksOf([state({})], [1, 2, 3]), []);
  for (const [changed, says] of [
    [{ 'retention.ms': '15000' }, /retention\.ms is set, .*seek --topic results --to earliest.*retention\.ms=-1\)/],
    [{ 'retention.bytes': '1000' }, /retention\.bytes is set, .*retention\.bytes=-1\)/],
    [{ 'cleanup.policy': 'compact' }, /INVALID_RECORD.*cleanup\.policy=delete\)/],
    [{ 'cleanup.policy': 'compact,delete' }, /INVALID_RECORD/],
    [{ 'max.message.bytes': '700' }, /refuse large records.*max\.message\.bytes=8388608\)/],
  ] as const) {
    const [risk, ...others] = allRisksOf([state(changed)], [1, 2, 3]);
    assert.match(risk!.text, says);
    assert.deepEqual([risk!.isUrgent, others], [true, []]);
  }
});

test('time limits are the operator’s choice on topics with an age limit, and so is compaction where we ask for it', () => {
  const aged = { retention: 'time', settings: { 'cleanup.policy': 'compact,delete' } } as const;
  const changed = {
    'retention.ms': '15000',
    'retention.bytes': '1',
    'cleanup.policy': 'compact',
    'segment.bytes': '1',
  };
  assert.deepEqual(allRisksOf([{ ...state(changed, 'news.pages'), spec: aged }], [1, 2, 3]), []);
  const [risk] = allRisksOf([{ ...state(changed, 'news.tasks'), spec: { retention: 'time' } }], [1, 2, 3]);
  assert.match(risk!.text, /^topic news\.tasks: cleanup\.policy has compact/);
});

test('long segments of a trimmed topic are named, with settings that free the disk', () => {
  const [risk, ...others] = allRisksOf(
    [state({ 'segment.bytes': '1073741824' }), state({}, 'news.control')],
    [1, 2, 3],
  );
  assert.match(risk!.text, /frees whole segments alone .*--add-config segment\.bytes=52428800,segment\.ms=86400000\)$/);
  assert.deepEqual([risk!.isUrgent, others], [false, []]);
});

test('topics created while a broker was away get the input for more copies, without circular advice', () => {
  const two = (changed: Partial<typeof asMade>): GuardedTopic => ({
    ...state(changed),
    replicas: 2,
    copies: [
      [1, 2],
      [2, 1],
    ],
  });
  const [risk, ...others] = risksOf([two({ 'min.insync.replicas': '1' })], [1, 2, 3]);
  assert.deepEqual(others, []);
  const input = JSON.parse(/--reassignment-json-file, and wait for --verify: (\{.*\});/.exec(risk!)![1]!) as object;
  assert.deepEqual(input, {
    version: 1,
    partitions: [
      { topic: 'news.results', partition: 0, replicas: [1, 2, 3] },
      { topic: 'news.results', partition: 1, replicas: [2, 1, 3] },
    ],
  });
  const [later] = risksOf([two({ 'min.insync.replicas': '1' })], [1, 2]);
  assert.match(later!, /2 copies of each record, not 3: once 3 brokers are there, crawlstream topics check prints how/);
  assert.deepEqual(risksOf([{ ...two({}), replicas: 3 }], [1, 2, 3]), []);
});

/** A cluster with two brokers; each topic has these settings, and its first partition is on one of them alone. */
function asked(
  settings: Readonly<Record<string, string>>,
  more: { describe?: () => never; errorCode?: number; brokers?: readonly number[] } = {},
) {
  const partition = (partitionId: number, replicas: number[]) => ({ partitionId, replicas });
  return {
    patienceMs: 0,
    describe: async (topics: readonly string[]) => {
      more.describe?.();
      return {
        brokers: (more.brokers ?? [2, 1]).map((nodeId) => ({ nodeId })),
        topicMetadata: topics
          .filter((name) => name !== 'none')
          .map((name) => ({ topic: name, partitionMetadata: [partition(1, [1, 2]), partition(0, [2])] })),
      };
    },
    sendAny: async () => ({
      resources: ['news.results', 'news.pages', 'none'].map((resourceName) => ({
        errorCode: more.errorCode ?? 0,
        resourceName,
        configEntries: Object.entries(settings).map(([configName, configValue]) => ({ configName, configValue })),
      })),
    }),
  } as unknown as Cluster;
}

const specs = [
  { name: 'news.results', partitions: 2, retention: 'state' as const },
  { name: 'news.pages', partitions: 2, retention: 'time' as const },
  { name: 'none', partitions: 2, retention: 'state' as const },
];

test('the risks of topics are those of the settings that their brokers report, and of their partition with fewest copies', async () => {
  const [copies, ...others] = await readRisks(asked(asMade), specs);
  assert.deepEqual(others, []);
  assert.match(copies!.text, /^topic news\.results, and 1 more: 1 copy of each record, not 3/);
  const [several] = await readRisks(asked(asMade, { brokers: [2, 1, 3] }), specs.slice(0, 1));
  const wanted = '"replicas":[2,3,1]},{"topic":"news.results","partition":1,"replicas":[1,2,3]}';
  assert.ok(several!.text.includes(wanted), several!.text);
  const [limited] = await readRisks(asked({ ...asMade, 'retention.ms': '15000' }), specs);
  assert.match(limited!.text, /^topic news\.results: retention\.ms is set/, 'an age limit of pages is no risk');
  assert.equal(limited!.isUrgent, true);
});

test('topics about which this user may not ask have no risk, and brokers that are away are an error', async () => {
  assert.deepEqual(await readRisks(asked(asMade, { errorCode: 29 }), specs), []);
  const failing = (code: 'INVALID_ARGUMENT' | 'BROKER_UNREACHABLE') =>
    readRisks(
      asked(asMade, {
        describe: () => {
          throw new CrawlstreamError(code, 'no');
        },
      }),
      specs,
    );
  assert.deepEqual(await failing('INVALID_ARGUMENT'), []);
  await assert.rejects(failing('BROKER_UNREACHABLE'), { code: 'BROKER_UNREACHABLE' });
});
