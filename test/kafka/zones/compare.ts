/**
 * Run in the hub of three zones with a broker in each: appends to one partition by our client and by Java's producer, side by
 * side, while its leader is cut off from the two other brokers for 60 s and stays reachable from here. Prints a line of JSON.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from '../../../lab/kafka/broker.ts';
import { kafkaJars } from '../../../lab/kafka/components.ts';
import { createBrokerWatch } from '../../../services/runtime/log/kafka/broker-watch.ts';
import { openCluster } from '../../../services/runtime/log/kafka/cluster.ts';
import { openKafkaLog } from '../../../services/runtime/log/kafka/kafka-log.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';
import { cut, heal, waysAround, type Zones } from './zones.ts';

const zones = JSON.parse(process.argv[2]!) as Zones['zones'];
const cutMs = 60_000;
const topic = 'zone.acks';
const acked = { ours: [] as number[], java: [] as number[] };
const ackedAt = { ours: [] as number[], java: [] as number[] };
const lines: string[] = [];

const broker = await startBroker({
  own: true,
  brokers: 3,
  places: zones,
  settings: { 'broker.session.timeout.ms': '6000' },
});
const log = await openKafkaLog({
  ...{ brokers: broker.brokers.split(','), clientId: 'zones', openTimeoutMs: 60_000 },
  onBrokers: (text) => lines.push(text),
});
const stopping = new AbortController();
const java = await startJavaProducer();
try {
  await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
  const leader = await leaderNow();
  const ours = produce();
  java.begin();
  await waitFor(() => acked.ours.length > 20 && acked.java.length > 20);
  const cutAtMs = performance.now();
  const ways = waysAround(zones, leader - 1);
  cut(zones, ways);
  await sleep(cutMs / 2);
  const blocked = log.appendsBlocked!()?.text ?? null;
  await sleep(cutMs / 2);
  const back = { ours: longestGap('ours', cutAtMs), java: longestGap('java', cutAtMs) };
  heal(zones, ways);
  await sleep(15_000);
  stopping.abort();
  await ours;
  java.end();
  const { end } = await log.offsets(topic, 0);
  const values = new Map<number, string>();
  for await (const { offset, value } of recordsOf(log, topic, 0, 0, end)) values.set(offset, `${value}`);
  const lost = {
    ours: acked.ours.filter((offset) => !values.get(offset)?.startsWith('ours')).length,
    java: acked.java.filter((offset) => !values.get(offset)?.startsWith('java')).length,
  };
  const counts = { ours: acked.ours.length, java: acked.java.length };
  console.log(JSON.stringify({ leader, back, lost, counts, blocked, lines }));
} finally {
  java.end();
  await log.close();
  await broker.stop();
}

async function produce() {
  const pending: Promise<unknown>[] = [];
  for (let n = 0; !stopping.signal.aborted; n++) {
    const value = Buffer.from(`ours ${n}`);
    pending.push(
      log.append([{ topic, partition: 0, key: null, value }]).then(
        ([offset]) => {
          acked.ours.push(offset!);
          ackedAt.ours.push(performance.now());
        },
        (error) => lines.push(`append failed: ${(error as Error).message}`),
      ),
    );
    await sleep(200);
  }
  await Promise.all(pending);
}

/** The longest time without an ack since the cut, ms. */
function longestGap(who: 'ours' | 'java', cutAtMs: number): number {
  const times = [cutAtMs, ...ackedAt[who].filter((ms) => ms > cutAtMs), performance.now()];
  return Math.round(Math.max(...times.slice(1).map((ms, i) => ms - times[i]!)));
}

async function startJavaProducer() {
  const jars = await kafkaJars();
  let child: ReturnType<typeof spawn> | undefined;
  return {
    begin() {
      const source = join(import.meta.dirname, 'Acks.java');
      child = spawn('java', ['-Xmx128m', '-cp', `${jars}/*`, source, broker.brokers, topic], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let rest = '';
      child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        const parts = (rest + text).split('\n');
        rest = parts.pop()!;
        for (const line of parts) {
          const offset = /^acked (\d+)$/.exec(line)?.[1];
          if (offset === undefined) lines.push(`java: ${line}`);
          else {
            acked.java.push(Number(offset));
            ackedAt.java.push(performance.now());
          }
        }
      });
    },
    end: () => child?.kill('SIGKILL'),
  };
}

async function leaderNow(): Promise<number> {
  const addresses = zones.map(({ host }, i) => ({ host, port: Number(broker.brokers.split(',')[i]!.split(':')[1]) }));
  const times = { openTimeoutMs: 30_000, patienceMs: 30_000, metadataMs: 300_000 };
  const options = { clientId: 'zones-leader', credentials: () => ({}) };
  const cluster = await openCluster(
    addresses,
    options,
    times,
    createBrokerWatch(() => {}),
  );
  const leader = await cluster.leaderOf(topic, 0);
  cluster.close();
  return leader;
}

async function waitFor(holds: () => boolean) {
  for (const endMs = performance.now() + 60_000; !holds(); await sleep(50))
    if (performance.now() > endMs) throw new Error(`no acks: ${JSON.stringify({ acked, lines })}`);
}
