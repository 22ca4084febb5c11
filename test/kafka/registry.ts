/** A real Schema Registry with the Confluent API, for tests: Apicurio, in memory, on loopback. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registryJar } from '../../lab/kafka/components.ts';
import { freePorts, startJava, untilReady } from '../../lab/kafka/daemon.ts';

export interface TestRegistry {
  /** The base of the Confluent API. */
  readonly url: string;
  /** The base of Apicurio's own API. */
  readonly ownUrl: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startRegistry(options: { readonly port?: number } = {}): Promise<TestRegistry> {
  const external = process.env['SCHEMA_REGISTRY_URL'];
  if (external) return { url: external, ownUrl: ownUrlOf(external), pid: -1, stop: async () => {} };
  const jar = await registryJar();
  const port = options.port ?? ((await freePorts(1))[0] as number);
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-registry-'));
  const logFile = join(folder, 'stdout.txt');
  const flags = ['-Xms64m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const settings = [`-Dquarkus.http.host=127.0.0.1`, `-Dquarkus.http.port=${port}`, `-Djava.io.tmpdir=${folder}`];
  const daemon = startJava([...flags, ...settings, '-jar', jar], folder, logFile);
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const stop = async () => {
    await daemon.end('SIGTERM', 3_000);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(daemon, 'the registry', logFile, async () => {
      const response = await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      await response?.body?.cancel();
      return response?.ok === true;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, ownUrl: ownUrlOf(url), pid: daemon.pid, stop };
}

function ownUrlOf(url: string): string {
  return url.replace(/\/apis\/ccompat\/v\d+$/, '/apis/registry/v2');
}
