/**
 * Starts a broker and a registry, prints one JSON line {brokers, registry, pid}, and stops both on SIGTERM or SIGINT,
 * or after --max-seconds. With a command after `--`, runs it against them (KAFKA_BROKERS, SCHEMA_REGISTRY_URL are set)
 * and ends with its exit code:
 *
 *   node --import tsx test/kafka/main.ts [--brokers 1|3] [--port N] [--max-seconds N] [-- COMMAND…]
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startBroker } from '../../lab/kafka/broker.ts';
import { startRegistry } from './registry.ts';

const { values, positionals } = parseArgs({
  options: {
    brokers: { type: 'string', default: '1' },
    port: { type: 'string' },
    'max-seconds': { type: 'string' },
  },
  allowPositionals: true,
});

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort());

const [broker, registry] = await Promise.all([
  startBroker({ brokers: values.brokers === '3' ? 3 : 1, ...(values.port && { port: Number(values.port) }) }),
  startRegistry(),
]);
try {
  if (positionals.length > 0) process.exitCode = await runCommand(positionals);
  else {
    process.stdout.write(`${JSON.stringify({ brokers: broker.brokers, registry: registry.url, pid: process.pid })}\n`);
    await stopAsked();
  }
} finally {
  await Promise.all([broker.stop(), registry.stop()]);
}

function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.signal.aborted) return resolve();
    const timer = setTimeout(resolve, Math.min(2 ** 31 - 1, 1000 * Number(values['max-seconds'] ?? 86_400)));
    stopping.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function runCommand([command = '', ...args]: readonly string[]): Promise<number> {
  const env = { ...process.env, KAFKA_BROKERS: broker.brokers, SCHEMA_REGISTRY_URL: registry.url };
  const child = spawn(command, args, { env, stdio: 'inherit' });
  stopping.signal.addEventListener('abort', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
