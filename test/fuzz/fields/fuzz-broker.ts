/**
 * Records with extremes in their fields, in batches, on each topic of a crawl that others may write to, on a real broker. The frontier,
 * a fetcher and a consumer of each topic read them as they read any: all must live on, and pass them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBroker } from '../../../lab/kafka/broker.ts';
import { Hand } from '../../../lab/model/hand.ts';
import { numbers } from '../../../lab/web/random.ts';
import {
  blankControl,
  blankDuplicate,
  blankPage,
  blankRender,
  blankResponse,
  blankRobotsCopy,
} from '../../../schemas/blank.ts';
import { type Control, controlKinds, type Task, type TopicRecords } from '../../../schemas/types.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { type Consumer, startConsumer } from '../../../services/runtime/consumer/consumer.ts';
import { groupPositions } from '../../../services/runtime/consumer/positions.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';
import { type InProcessCrawl, startCrawlInProcess } from '../../kafka/crawl-in-process.ts';
import { type Below, drawRecord } from './draw-record.ts';
import { foreignWriter } from './foreign-writer.ts';
import type { FieldsFuzzed } from './fuzz-core.ts';

type Fuzzed = Exclude<keyof TopicRecords, 'dead-letters'>;

const fuzzedTopics: readonly Fuzzed[] = [
  ...(['discovered', 'results', 'control', 'tasks', 'pages', 'responses', 'robots', 'render', 'duplicates'] as const),
];
const batchRecords = 250;
const batchesPerLook = 4;
const patienceMs = 120_000;
const kinds = controlKinds.filter((kind) => kind !== 'policy');
const hosts = ['a.test', 'b.test', 'c.test'];

export async function fuzzBroker(broker: TestBroker, inputs: number, seed: number): Promise<FieldsFuzzed> {
  const next = numbers(seed);
  const below = (max: number) => next() % max;
  const findings: string[] = [];
  const crawl = `fields-${seed}`;
  const onFailure = (error: unknown) => void findings.push(`a role ended: ${(error as Error).stack ?? error}`);
  const parts = await startCrawlInProcess({ broker, crawl, partitions: 1, delayMs: 0, answerMs: 0, onFailure });
  let tried = 0;
  let consumers: Consumer[] = [];
  try {
    await parts.join('fetcher', 20);
    consumers = await startConsumers(parts, crawl, onFailure);
    await parts.seed([`http://first.test:${parts.port}/`]);
    await parts.until('a first page', () => isAsked(parts, 'first.test'));
    const tasks = await tasksOf(parts, crawl);
    const draw = drawer(parts, crawl, tasks, below);
    while (tried < inputs && findings.length === 0) {
      for (let batch = 0; batch < batchesPerLook && tried < inputs; batch++) {
        const count = Math.min(batchRecords, inputs - tried);
        const drawn = Array.from({ length: count }, draw);
        await parts.log.append(drawn);
        tried += count;
      }
      await lookAtAll(parts, crawl, consumers, tasks[0]!, tried);
    }
    findings.push(...(await unnamedDeadLetters(parts, crawl)));
  } catch (error) {
    findings.push((error as Error).stack ?? String(error));
  } finally {
    for (const consumer of consumers) await consumer.stop().catch(onFailure);
    await parts.stop();
  }
  return { inputs: tried, findings };
}

function isAsked({ contacts }: InProcessCrawl, host: string): boolean {
  return contacts.some((contact) => contact.host === host && contact.path !== '/robots.txt');
}

/** One of each topic that consumers of a crawl read. */
async function startConsumers(parts: InProcessCrawl, crawl: string, onFailure: (error: unknown) => void) {
  const log = await parts.openLog('consumers');
  const read = fuzzedTopics.filter((topic) => topic !== 'control' && topic !== 'tasks');
  return read.map((topic) => {
    const consumer = startConsumer<typeof topic>({
      ...{ log, codec: parts.codec, clock: new SystemClock(), crawl, group: `of-${topic}`, topics: [topic] },
      positions: groupPositions(log, `${crawl}.of-${topic}`),
      handle: (batch) => void JSON.stringify(batch.map(({ value }) => value)),
      deadLetter: async () => {},
    });
    consumer.assign([0]);
    consumer.ended.catch(onFailure);
    return consumer;
  });
}

/** Those that the frontier has granted. */
async function tasksOf({ log, codec }: InProcessCrawl, crawl: string): Promise<Task[]> {
  const { start, end } = await log.offsets(`${crawl}.tasks`, 0);
  const tasks: Task[] = [];
  for await (const { value } of recordsOf(log, `${crawl}.tasks`, 0, start, end))
    tasks.push(codec.decode('tasks', value));
  return tasks;
}

/** Draws records, written as a program in another language does. */
function drawer({ codec }: InProcessCrawl, crawl: string, tasks: readonly Task[], below: Below) {
  const writers = new Map(
    fuzzedTopics.map((topic) => [topic, foreignWriter(codec, topic, honest(topic, tasks, below))]),
  );
  return () => {
    const topic = fuzzedTopics[below(fuzzedTopics.length)]!;
    const value = writers.get(topic)!(drawRecord(topic, honest(topic, tasks, below), below));
    const key = topic === 'pages' ? Buffer.from('https://a.test/0') : null;
    return { topic: `${crawl}.${topic}`, partition: 0, key, value };
  };
}

const hand = new Hand();

/** A record as a sound program would send it. */
function honest<T extends Fuzzed>(topic: T, tasks: readonly Task[], below: Below): TopicRecords[T];
function honest(topic: Fuzzed, tasks: readonly Task[], below: Below): TopicRecords[Fuzzed] {
  const hostKey = hosts[below(hosts.length)]!;
  const url = `https://${hostKey}/${below(1_000)}`;
  const task = tasks[below(tasks.length)]!;
  const [atMs, body] = [Date.now(), Buffer.from('a body')];
  switch (topic) {
    case 'discovered':
      return hand.linksRecord([url, `https://${hostKey}/x`], below(8), { sourceUrl: 'https://s.test/' });
    case 'control':
      return { ...blankControl, kind: kinds[below(kinds.length)] as Control['kind'], hostKey, atMs };
    case 'results':
      return Hand.resultAt({ ...task, leaseId: task.leaseId + below(20) }, atMs, 100, () => ({}));
    case 'tasks':
      return { ...task, leaseId: task.leaseId + 1_000 + below(1_000) };
    case 'pages':
      return { ...blankPage, url, hostKey, fetchedAtMs: atMs, status: 200, text: 'words' };
    case 'responses':
      return { ...blankResponse, url, hostKey, body, requestBody: body };
    case 'robots':
      return { ...blankRobotsCopy, hostKey, body };
    case 'render':
      return { ...blankRender, url, hostKey, body };
    case 'duplicates':
      return { ...blankDuplicate, url, hostKey };
  }
}

/** Each role goes on with what comes behind the records: the frontier commits, the fetcher fetches, consumers read to the end. */
async function lookAtAll(
  parts: InProcessCrawl,
  crawl: string,
  consumers: readonly Consumer[],
  task: Task,
  tried: number,
): Promise<void> {
  const { log, codec, frontier, port } = parts;
  await parts.seed([`http://seed-${tried}.test:${port}/`]);
  for (const topic of ['control', 'results', 'discovered'] as const) {
    const { end } = await log.offsets(`${crawl}.${topic}`, 0);
    const isPassed = () => (frontier.committed().get(0)?.positions[topic].offset ?? 0) >= end;
    await parts.until(`the frontier to pass ${end} records of ${topic}`, isPassed);
  }
  // Sent by the test: orders may have spent the crawl's quota.
  const host = `task-${tried}.test`;
  const urls = [{ ...task.urls[0]!, url: `http://${host}:${port}/` }];
  const own = {
    ...task,
    urls,
    hostKey: `${host}:${port}`,
    leaseId: 1_000_000 + tried,
    deadlineMs: Date.now() + 600_000,
  };
  const record = { topic: `${crawl}.tasks`, partition: 0, key: Buffer.from(host), value: codec.encode('tasks', own) };
  await log.append([record]);
  await parts.until(`the fetcher to fetch a page after ${tried} records`, () => isAsked(parts, host));
  for (const consumer of consumers) {
    const untilMs = Date.now() + patienceMs;
    while ((await consumer.lag()) > 0) {
      if (Date.now() > untilMs) throw new Error(`a consumer stands still after ${tried} records`);
      await sleep(20);
    }
  }
}

/** Dead letters say what was wrong with which record. */
async function unnamedDeadLetters({ log, codec }: InProcessCrawl, crawl: string): Promise<string[]> {
  const findings: string[] = [];
  const topic = `${crawl}.dead-letters`;
  const { start, end } = await log.offsets(topic, 0);
  for await (const { value } of recordsOf(log, topic, 0, start, end)) {
    const letter = codec.decode('dead-letters', value);
    if (letter.detail === '' || letter.sourceTopic === '') findings.push(`without a name: ${JSON.stringify(letter)}`);
  }
  if (end === start) findings.push('no record became a dead letter');
  return findings.slice(0, 10);
}
