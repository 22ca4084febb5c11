/**
 * A real Kafka on loopback, of one broker or three, for tests: KRaft, each node broker and controller at once.
 *
 * A start takes 2 to 4 s: the data folder is formatted once and copied from then on, and an archive of loaded classes
 * (AppCDS), written at the first graceful stop, saves the JVM from reading 46 jars.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, fetchOnce, kafkaJars, kafkaVersion } from './components.ts';
import { type Daemon, freePorts, isListening, startJava, untilReady } from './daemon.ts';

export interface TestBroker {
  /** `host:port`, comma-separated. */
  readonly brokers: string;
  readonly pids: readonly number[];
  isRunning(node: number): boolean;
  /** kill -9 of one node; resolves when it is gone. */
  kill(node?: number): Promise<void>;
  /** Stops the first node in good order, with everything written to its disk. */
  end(): Promise<void>;
  /** Starts a killed node again, on the same data and port; resolves when it listens. */
  restart(node?: number): Promise<void>;
  /** Disk use of a topic's records on the first node; undefined for a broker that is not ours. */
  diskBytes(topic: string): number | undefined;
  /** Bytes of a partition on the first node's disk. */
  partitionFolder(topic: string, partition: number): string;
  /** Ends everything and removes the data. */
  stop(): Promise<void>;
}

export interface BrokerOptions {
  /** Port of the first node. Absent: a free one. */
  readonly port?: number;
  readonly brokers?: 1 | 3;
  /** True: a separate broker that the test may kill, even if KAFKA_BROKERS names another. */
  readonly own?: boolean;
  /** `broker.rack` of each node, in order; readers may then be sent to the replica in their rack. */
  readonly racks?: readonly string[];
  /** Further lines of server.properties. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Listener protocol of the clients' port; users and certificates come from `settings`. */
  readonly protocol?: 'PLAINTEXT' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  /** Further flags of the JVM. */
  readonly flags?: readonly string[];
  /** The place of each node, in order. Absent: all beside this process, on loopback. */
  readonly places?: readonly BrokerPlace[];
}

export interface BrokerPlace {
  readonly host: string;
  /** The command that starts a command there. */
  readonly within: readonly string[];
}

const clusterId = 'MkU3OEVBNTcwNTJENDM2Qg';
const jvmFlags = ['-Xms64m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

export async function startBroker(options: BrokerOptions = {}): Promise<TestBroker> {
  const external = process.env['KAFKA_BROKERS'];
  if (external && !options.own) return externalBroker(external);
  const jars = await kafkaJars();
  const count = options.brokers ?? 1;
  const ports = await freePorts(2 * count);
  if (options.port !== undefined) ports[0] = options.port;
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-kafka-'));
  const clientPorts = ports.slice(0, count);
  const places = clientPorts.map((_, i) => options.places?.[i] ?? { host: '127.0.0.1', within: [] });
  const hosts = places.map(({ host }) => host);
  const nodes = clientPorts.map((port, i) => ({ id: i + 1, port, folder: join(folder, `node-${i + 1}`) }));
  const daemons: Daemon[] = [];

  for (const node of nodes) {
    await mkdir(node.folder);
    await cp(await formattedData(jars, node.id), join(node.folder, 'data'), { recursive: true });
    await writeFile(join(node.folder, 'server.properties'), properties(node, ports, hosts, options));
    await writeFile(join(node.folder, 'log4j2.properties'), logging(join(node.folder, 'server.log')));
  }
  const start = async (i: number): Promise<void> => {
    const node = nodes[i] as (typeof nodes)[number];
    const logFile = join(node.folder, 'stdout.txt');
    const args = [
      ...jvmFlags,
      ...classArchive(),
      ...(options.flags ?? []),
      `-Dlog4j2.configurationFile=${join(node.folder, 'log4j2.properties')}`,
      '-cp',
      `${jars}/*`,
      'kafka.Kafka',
      join(node.folder, 'server.properties'),
    ];
    const { host, within } = places[i] as BrokerPlace;
    const daemon = startJava(args, node.folder, logFile, 'ignore', within);
    daemons[i] = daemon;
    await untilReady(daemon, 'the broker', logFile, () => isListening(node.port, host));
  };
  const stop = async () => {
    // With several nodes a graceful stop of the last one waits for a quorum that is gone.
    await Promise.all(daemons.map((daemon) => daemon.end(count === 1 ? 'SIGTERM' : 'SIGKILL', 8_000)));
    await keepClassArchive();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(nodes.map((_, i) => start(i)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    brokers: clientPorts.map((port, i) => `${hosts[i]}:${port}`).join(','),
    get pids() {
      return daemons.map(({ pid }) => pid);
    },
    isRunning: (node) => daemons[node]?.isRunning() ?? false,
    kill: (node = 0) => (daemons[node] as Daemon).end('SIGKILL'),
    end: () => (daemons[0] as Daemon).end('SIGTERM', 15_000),
    restart: (node = 0) => start(node),
    diskBytes: (topic) => bytesOfTopic(join(folder, 'node-1', 'data'), topic),
    partitionFolder: (topic, partition) => join(folder, 'node-1', 'data', `${topic}-${partition}`),
    stop,
  };
}

function externalBroker(brokers: string): TestBroker {
  const foreign = new Error('KAFKA_BROKERS names a broker that is not for tests to kill');
  const notOurs = () => Promise.reject(foreign);
  const partitionFolder = () => {
    throw foreign;
  };
  return {
    ...{ brokers, pids: [], isRunning: () => true },
    ...{
      kill: notOurs,
      end: notOurs,
      restart: notOurs,
      diskBytes: () => undefined,
      partitionFolder,
      stop: async () => {},
    },
  };
}

/** Bytes of all its partitions, without indexes. A broker at work may delete a segment between two looks: it counts zero. */
function bytesOfTopic(data: string, topic: string): number {
  let bytes = 0;
  for (const folder of readdirSync(data)) {
    if (folder.replace(/-\d+$/, '') !== topic) continue;
    for (const name of readdirSync(join(data, folder))) {
      if (!name.endsWith('.log')) continue;
      bytes += statSync(join(data, folder, name), { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return bytes;
}

function properties(
  node: { id: number; port: number; folder: string },
  ports: readonly number[],
  hosts: readonly string[],
  options: BrokerOptions,
): string {
  const count = hosts.length;
  const host = hosts[node.id - 1] as string;
  const protocol = options.protocol ?? 'PLAINTEXT';
  const voters = Array.from({ length: count }, (_, i) => `${i + 1}@${hosts[i]}:${ports[count + i]}`);
  const replicas = String(count);
  const settings: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': String(node.id),
    'controller.quorum.voters': voters.join(','),
    listeners: `CLIENT://${host}:${node.port},CONTROLLER://${host}:${ports[count + node.id - 1]}`,
    'advertised.listeners': `CLIENT://${host}:${node.port}`,
    'listener.security.protocol.map': `CLIENT:${protocol},CONTROLLER:PLAINTEXT`,
    'inter.broker.listener.name': 'CLIENT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': join(node.folder, 'data'),
    'auto.create.topics.enable': 'false',
    'min.insync.replicas': count === 3 ? '2' : '1',
    'offsets.topic.num.partitions': '4',
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.num.partitions': '4',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': count === 3 ? '2' : '1',
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    // A killed node may come back only when its session has run out.
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
    'log.cleaner.dedupe.buffer.size': '2097152',
    'log.cleaner.backoff.ms': '500',
    ...(options.racks && {
      'broker.rack': options.racks[node.id - 1] as string,
      'replica.selector.class': 'org.apache.kafka.common.replica.RackAwareReplicaSelector',
    }),
    ...options.settings,
  };
  return `${Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;
}

function logging(file: string): string {
  return `status=warn
appender.f.type=File
appender.f.name=f
appender.f.fileName=${file}
appender.f.layout.type=PatternLayout
appender.f.layout.pattern=[%d] %p %m (%c)%n
rootLogger.level=warn
rootLogger.appenderRef.f.ref=f
`;
}

/** An empty data folder of a node, as Kafka's own tool formats it. */
function formattedData(jars: string, id: number): Promise<string> {
  return fetchOnce(`kafka-${kafkaVersion}-data-${id}`, async (folder) => {
    const data = join(folder, 'data');
    const config = join(folder, 'format.properties');
    await writeFile(
      config,
      [
        'process.roles=broker,controller',
        `node.id=${id}`,
        `controller.quorum.voters=${id}@127.0.0.1:1`,
        'listeners=CLIENT://127.0.0.1:2,CONTROLLER://127.0.0.1:1',
        'listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT',
        'inter.broker.listener.name=CLIENT',
        'controller.listener.names=CONTROLLER',
        `log.dirs=${data}`,
        '',
      ].join('\n'),
    );
    const logFile = join(folder, 'format.txt');
    const tool = ['-cp', `${jars}/*`, 'kafka.tools.StorageTool', 'format', '--cluster-id', clusterId];
    const daemon = startJava([...jvmFlags, ...tool, '--config', config], folder, logFile);
    await untilReady(daemon, 'the formatter', logFile, async () => !daemon.isRunning() && existsSync(data));
  }).then((folder) => join(folder, 'data'));
}

const archive = join(cacheFolder, `kafka-${kafkaVersion}.jsa`);
const freshArchive = `${archive}.${process.pid}`;

/** Uses the archive of loaded classes, or has one written at the JVM's end. */
function classArchive(): string[] {
  return existsSync(archive)
    ? [`-XX:SharedArchiveFile=${archive}`, '-Xshare:auto', '-Xlog:cds=off', '-Xlog:cds+dynamic=off']
    : [`-XX:ArchiveClassesAtExit=${freshArchive}`, '-Xlog:cds=off', '-Xlog:cds+dynamic=off'];
}

async function keepClassArchive(): Promise<void> {
  if (existsSync(freshArchive)) await rename(freshArchive, archive);
}
