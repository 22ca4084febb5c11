/** URLFrontier's own Java stubs on grpc-netty, fetched once by Maven, with a program that tries every call. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetchJars, skipReason } from '../../lab/kafka/components.ts';

const run = promisify(execFile);

const stubs = { group: 'com.github.crawler-commons', name: 'urlfrontier-API', version: '2.5' } as const;
/** Of the version that the stubs are built against. */
const transport = { group: 'io.grpc', name: 'grpc-netty-shaded', version: '1.76.0' } as const;

function jars(): Promise<string> {
  return fetchJars(`urlfrontier-${stubs.version}-grpc-${transport.version}`, [stubs, transport]);
}

/** As of `skipReason` of the broker: where Java and Maven are, and the jars can be fetched. */
export async function javaClientSkipReason(): Promise<string | undefined> {
  const reason = await skipReason();
  if (reason !== undefined) return reason;
  try {
    await jars();
    return undefined;
  } catch (error) {
    const why = `URLFrontier's stubs could not be fetched: ${(error as Error).message.split('\n')[0]}`;
    if (process.env['CI']) throw new Error(`${why}: in CI nothing may be skipped`, { cause: error });
    return why;
  }
}

/** What the program says at its end. Rejects with the answer that is not as the API says. */
export async function runJavaClient(port: number, part: 'before' | 'after'): Promise<string> {
  const program = fileURLToPath(new URL('./Client.java', import.meta.url));
  const flags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const args = [...flags, '-cp', `${await jars()}/*`, program, '127.0.0.1', `${port}`, part];
  try {
    const { stdout } = await run('java', args, { timeout: 120_000 });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`the Java client: ${stdout.trim()}\n${stderr.trim()}`, { cause: error });
  }
}
