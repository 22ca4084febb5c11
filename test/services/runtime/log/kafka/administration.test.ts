/** Topics and groups: what brokers are asked for, and what their answers mean. The test plays the brokers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import { createTopics } from '../../../../../services/runtime/log/kafka/create-topics.ts';
import { deleteTopics } from '../../../../../services/runtime/log/kafka/delete-topics.ts';
import { describeGroup } from '../../../../../services/runtime/log/kafka/describe-group.ts';
import { forgetGroup, readGroups } from '../../../../../services/runtime/log/kafka/group-list.ts';
import { encodeMetadata, shareOut } from '../../../../../services/runtime/log/kafka/member-data.ts';
import { settingsOf } from '../../../../../services/runtime/log/kafka/topic-settings.ts';
import type { LogTopic } from '../../../../../services/runtime/log/log.ts';

const codes = {
  unknownTopic: 3,
  timedOut: 7,
  notCoordinator: 16,
  invalidTopic: 17,
  notAllowed: 29,
  alreadyThere: 36,
  invalidPartitions: 37,
  invalidReplicas: 38,
  invalidConfig: 40,
  groupNotEmpty: 68,
  groupUnknown: 69,
} as const;

interface Wire {
  readonly request: { readonly apiName: string; encode(): Promise<{ readonly buffer: Buffer }> };
}

/** Answers by the request's name, the nth of its kind; `asked` has each request with the texts in it. */
function brokers(answers: Readonly<Record<string, (nth: number, text: string, node: number) => unknown>>) {
  const asked: { readonly name: string; readonly text: string; readonly node: number }[] = [];
  const forgotten: string[] = [];
  const counts = new Map<string, number>();
  const send = async ({ request }: Wire, node = 0) => {
    const { apiName: name } = request;
    const text = (await request.encode()).buffer.toString('latin1');
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    asked.push({ name, text, node });
    const answer = answers[name];
    assert.ok(answer !== undefined, `nothing answers ${name}`);
    return answer(nth, text, node);
  };
  const looks: (readonly string[])[] = [];
  const cluster = {
    patienceMs: 1_000,
    brokerCount: () => 2,
    look: async (names: readonly string[]) => {
      looks.push(names);
      return answers['look']!(looks.length - 1, names.join(), 0);
    },
    drop: (topic: string) => forgotten.push(topic),
    forgetCoordinator: (group: string) => forgotten.push(group),
    sendAny: (wire: Wire) => send(wire),
    sendCoordinator: (_group: string, _purpose: string, wire: Wire) => send(wire),
    nodeIds: async () => [1, 2],
    link: async (node: number) => ({ send: (wire: Wire) => send(wire, node) }),
  } as unknown as Cluster;
  return { cluster, asked, looks, forgotten, names: () => asked.map(({ name }) => name) };
}

const plain = (name: string, partitions = 2): LogTopic => ({ name, partitions, retention: 'time' });
const state = (name: string, partitions = 2): LogTopic => ({ name, partitions, retention: 'state' });
const kept = { 'retention.ms': '-1', 'retention.bytes': '-1', 'cleanup.policy': 'delete' };
const settings = (resourceName: string, entries: Readonly<Record<string, string>>, errorCode = 0) => ({
  ...{ resourceName, errorCode },
  configEntries: Object.entries(entries).map(([configName, configValue]) => ({ configName, configValue })),
});

test('topics that are there are left as they are, and only settings of state topics are asked for', async () => {
  const { cluster, names, asked } = brokers({
    look: () => [2, 5, 2],
    DescribeConfigs: () => ({ resources: [settings('s', kept)] }),
  });
  await createTopics(cluster, [plain('p'), plain('more'), state('s')], undefined);
  assert.deepEqual(names(), ['DescribeConfigs']);
  for (const name of Object.keys(kept)) assert.ok(asked[0]!.text.includes(name), name);
  await createTopics(brokers({ look: () => [2] }).cluster, [plain('p')], undefined);
});

test('a topic with fewer partitions than the crawl, or with settings that lose records, is refused', async () => {
  await assert.rejects(createTopics(brokers({ look: () => [2, 1] }).cluster, [plain('p'), plain('q')], undefined), {
    code: 'TOPIC_MISMATCH',
    message: 'topic q has 1 partitions, not 2: start with --partitions 1, or another crawl name',
  });
  for (const [name, value] of [
    ['retention.ms', '604800000'],
    ['retention.bytes', '1'],
    ['cleanup.policy', 'compact'],
  ] as const) {
    const { cluster } = brokers({
      look: () => [2],
      DescribeConfigs: () => ({ resources: [settings('s', { 'segment.ms': '1', ...kept, [name]: value })] }),
    });
    await assert.rejects(createTopics(cluster, [state('s')], undefined), {
      code: 'TOPIC_MISMATCH',
      message: `topic s has ${name}=${value}, which loses records: set it to ${kept[name]} (kafka-configs --alter --entity-type topics --entity-name s --add-config ${name}=${kept[name]})`,
    });
  }
  const { cluster } = brokers({
    look: () => [2],
    DescribeConfigs: () => ({ resources: [settings('s', {}, codes.notAllowed)] }),
  });
  await assert.rejects(createTopics(cluster, [state('s')], undefined), {
    code: 'INVALID_ARGUMENT',
    message: /^reading the settings of topic s is not allowed for this user/,
  });
});

test('a missing topic is created once, and is there when all brokers show it', async () => {
  const { cluster, asked, looks } = brokers({
    look: (nth) => [[undefined, undefined, 2], [undefined], [2]][nth],
    CreateTopics: () => ({ topicErrors: [{ topic: 'new', errorCode: 0 }] }),
  });
  await createTopics(cluster, [plain('new'), plain('new'), plain('p')], undefined);
  assert.deepEqual(
    asked.map(({ name, text }) => [name, text.match(/new/g)?.length, text.includes('min.insync')]),
    [['CreateTopics', 1, false]],
    'two brokers keep two copies',
  );
  assert.deepEqual(looks, [['new', 'new', 'p'], ['new'], ['new']]);
  const three = brokers({
    look: (nth) => [[undefined], [2]][nth],
    CreateTopics: () => ({ topicErrors: [{ topic: 'new', errorCode: 0 }] }),
  });
  await createTopics(three.cluster, [plain('new')], 3);
  assert.ok(three.asked[0]!.text.includes('min.insync.replicas'));
});

test('a topic that another process makes at the same time is checked like one that was there', async () => {
  const answers = (there: number, values: Readonly<Record<string, string>>) =>
    brokers({
      look: (nth) =>
        [
          [undefined, undefined],
          [there, there],
        ][nth],
      CreateTopics: () => ({
        topicErrors: [
          { topic: 's', errorCode: codes.alreadyThere },
          { topic: 'p', errorCode: codes.alreadyThere },
        ],
      }),
      DescribeConfigs: () => ({ resources: [settings('s', values)] }),
    });
  const good = answers(2, kept);
  await createTopics(good.cluster, [state('s'), plain('p')], undefined);
  assert.deepEqual(good.names(), ['CreateTopics', 'DescribeConfigs']);
  const lossy = answers(2, { ...kept, 'retention.ms': '5' });
  await assert.rejects(createTopics(lossy.cluster, [state('s'), plain('p')], undefined), { code: 'TOPIC_MISMATCH' });
  await assert.rejects(createTopics(answers(1, kept).cluster, [state('s'), plain('p')], undefined), {
    code: 'TOPIC_MISMATCH',
    message: /^topic s has 1 partitions, not 2/,
  });
});

test('of topics that are missing, only those that another process makes are checked', async () => {
  const answers = (there: string, values: Readonly<Record<string, string>>) =>
    brokers({
      look: (nth) => (nth === 0 ? [undefined, undefined] : [2, 2]),
      CreateTopics: () => ({
        topicErrors: ['s', 'u'].map((topic) => ({ topic, errorCode: topic === there ? codes.alreadyThere : 0 })),
      }),
      DescribeConfigs: (_, text) => ({ resources: [settings(text.includes('\u0001s') ? 's' : 'u', values)] }),
    });
  const lossy = { ...kept, 'retention.ms': '5' };
  for (const there of ['s', 'u'])
    await assert.rejects(createTopics(answers(there, lossy).cluster, [state('s'), state('u')], undefined), {
      code: 'TOPIC_MISMATCH',
      message: new RegExp(`^topic ${there} has retention.ms=5`),
    });
});

test('a topic that brokers refuse to make is an error with the brokers’ own words', async () => {
  const refusing = (errorCode: number, errorMessage: string | null) =>
    createTopics(
      brokers({
        look: () => [undefined],
        CreateTopics: () => ({ topicErrors: [{ topic: 'new', errorCode, errorMessage }] }),
      }).cluster,
      [plain('new')],
      undefined,
    );
  for (const code of [codes.invalidTopic, codes.invalidPartitions, codes.invalidReplicas])
    await assert.rejects(refusing(code, 'too many'), {
      code: 'INVALID_ARGUMENT',
      message: "topic new can't be created: too many; check the message and the rights (crawlstream acls)",
    });
  await assert.rejects(refusing(codes.invalidReplicas, null), {
    message: /^topic new can't be created: INVALID_REPLICATION_FACTOR; /,
  });
  await assert.rejects(refusing(codes.notAllowed, null), {
    code: 'INVALID_ARGUMENT',
    message: /^making topic new is not allowed for this user/,
  });
  await assert.rejects(refusing(codes.invalidConfig, null), { code: 'STORE_FAILED', message: /^making topic new/ });
});

test('a state topic is kept for ever and trimmed in small segments, whatever other settings say', () => {
  const { 'max.message.bytes': most, ...rest } = settingsOf({ ...plain('p'), settings: { 'retention.ms': '5' } }, 2);
  assert.deepEqual(rest, { 'retention.ms': '5' });
  assert.equal(most, `${8 * 1024 * 1024}`);
  const own = settingsOf({ ...state('s'), settings: { 'retention.ms': '5', 'segment.ms': '6' } }, 3);
  assert.deepEqual(own, {
    ...{ 'max.message.bytes': most, 'min.insync.replicas': '2', 'segment.bytes': `${50 * 1024 * 1024}` },
    ...{ 'segment.ms': '6', ...kept },
  });
});

test('topics are deleted until no broker lists them, and those that are missing are no error', async () => {
  const none = brokers({});
  await deleteTopics(none.cluster, []);
  assert.deepEqual([none.names(), none.looks], [[], []]);
  const { cluster, names, looks, forgotten } = brokers({
    look: (nth) =>
      [
        [undefined, 2],
        [undefined, undefined],
      ][nth],
    DeleteTopics: (nth) => ({
      topicErrors: [
        { topic: 'a', errorCode: codes.unknownTopic },
        { topic: 'b', errorCode: nth === 0 ? codes.timedOut : 0 },
      ],
    }),
  });
  await deleteTopics(cluster, ['a', 'b']);
  assert.deepEqual(names(), ['DeleteTopics', 'DeleteTopics']);
  assert.equal(looks.length, 2);
  assert.deepEqual(forgotten, ['a', 'b', 'a', 'b']);
  const refusing = brokers({ DeleteTopics: () => ({ topicErrors: [{ topic: 'a', errorCode: codes.notAllowed }] }) });
  await assert.rejects(deleteTopics(refusing.cluster, ['a']), {
    code: 'INVALID_ARGUMENT',
    message: /^removing topic a is not allowed/,
  });
});

test('groups of all brokers are listed by name with their members, without those of other crawls', async () => {
  const groups: Readonly<Record<number, readonly string[]>> = { 1: ['c.z', 'other', 'cc'], 2: ['c.a', 'x'] };
  const { cluster, asked } = brokers({
    ListGroups: (_, __, node) => ({ errorCode: 0, groups: groups[node]!.map((groupId) => ({ groupId })) }),
    DescribeGroups: (_, text) => ({
      groups: [
        { errorCode: 0, groupId: text.includes('c.z') ? 'c.z' : 'c.a', members: text.includes('c.z') ? [1] : [] },
      ],
    }),
  });
  assert.deepEqual(await readGroups(cluster, 'c.'), [
    { group: 'c.a', members: 0 },
    { group: 'c.z', members: 1 },
  ]);
  assert.ok(asked.every(({ name, text }) => name === 'ListGroups' || !/other|cc|x/.test(text)));
  assert.deepEqual(await readGroups(cluster, 'none.'), []);
  assert.equal(asked.filter(({ name }) => name === 'DescribeGroups').length, 2);
});

test('groups are listed again if a coordinator moves meanwhile', async () => {
  const { cluster, forgotten } = brokers({
    ListGroups: (_, __, node) => ({ errorCode: 0, groups: node === 1 ? [{ groupId: 'c.a' }] : [] }),
    DescribeGroups: (nth) => ({
      groups: [{ errorCode: nth === 0 ? codes.notCoordinator : 0, groupId: 'c.a', members: [1, 2] }],
    }),
  });
  assert.deepEqual(await readGroups(cluster, 'c.'), [{ group: 'c.a', members: 2 }]);
  assert.deepEqual(forgotten, ['c.a']);
});

test('a group is forgotten, or was before; one with members is not', async () => {
  const answering = (errorCode: number) =>
    forgetGroup(brokers({ DeleteGroups: () => ({ results: [{ groupId: 'g', errorCode }] }) }).cluster, 'g');
  await answering(0);
  await answering(codes.groupUnknown);
  await assert.rejects(answering(codes.groupNotEmpty), {
    code: 'GROUP_ACTIVE',
    message: 'group g has members: stop them first',
  });
  await assert.rejects(answering(codes.notAllowed), { code: 'INVALID_ARGUMENT', message: /^forgetting group g / });
});

test('the members of a group are listed by name, with their partitions, once a rebalance has ended', async () => {
  const metadataOf = (instanceId: string | undefined, address?: string) =>
    encodeMetadata(
      {
        ...{ group: 'g', topics: ['t'], onAssigned: () => {}, onFailure: () => {} },
        ...(instanceId !== undefined && { instanceId }),
        ...(address !== undefined && { address }),
      },
      { owned: [], generation: 1, standbys: [], warmingMs: {} },
    );
  const joined = [
    { memberId: 'm-1', memberMetadata: metadataOf('z', 'z:80') },
    { memberId: 'm-2', memberMetadata: metadataOf(undefined) },
  ];
  const shares = new Map(shareOut(joined, ['t'], 4).map((one) => [one.memberId, one.memberAssignment]));
  const members = joined.map((one) => ({ ...one, memberAssignment: shares.get(one.memberId)! }));
  const group = (state: string, some: readonly object[] = []) => ({
    groups: [{ errorCode: 0, state, members: some }],
  });
  const { cluster } = brokers({
    DescribeGroups: (nth) => (nth === 0 ? group('PreparingRebalance') : group('Stable', members)),
  });
  const found = await describeGroup(cluster, 'g');
  assert.deepEqual(
    found.map(({ name, address }) => [name, address]),
    [
      ['m-2', null],
      ['z', 'z:80'],
    ],
  );
  assert.deepEqual(found.flatMap(({ owned }) => owned).sort(), [0, 1, 2, 3]);
  for (const one of ['Dead', 'Empty'])
    assert.deepEqual(await describeGroup(brokers({ DescribeGroups: () => group(one) }).cluster, 'g'), []);
  assert.deepEqual(await describeGroup(brokers({ DescribeGroups: () => ({ groups: [] }) }).cluster, 'g'), []);
});
