/** What stands around a crawl that is attacked: its attackers, whoever asks whether it answers, and what nobody may reach. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setLast } from './core-turns.ts';

export interface Probing {
  readonly looks: { livezMsMax: number; livezLate: number; livezAsked: number };
  /** Of each answer, ms, without what the thread waited for a core. */
  readonly tookMs: readonly number[];
  end(): void;
}

export function probe(url: string, pid: number): Probing {
  const looks = { livezMsMax: 0, livezLate: 0, livezAsked: 0 };
  const all: number[] = [];
  const script = fileURLToPath(new URL('prober.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script, url, `${pid}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [tookMs, waitedMs] = line.split(' ').map(Number) as [number, number];
    looks.livezAsked += 1;
    looks.livezMsMax = Math.max(looks.livezMsMax, tookMs);
    all.push(Math.max(0, tookMs - waitedMs));
    if (tookMs - waitedMs > 1_000) looks.livezLate += 1;
  });
  return { looks, tookMs: all, end: () => void child.kill('SIGKILL') };
}

/** The most memory that a process had; undefined where it has ended, or this is no Linux. */
export function memoryMibOf(pid: number): number | undefined {
  try {
    const kib = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}

/** A name server that never answers, and the environment of a command that has no other. */
export async function startSilentNameServer(): Promise<{ readonly env: NodeJS.ProcessEnv; close(): void }> {
  const server = createSocket('udp4', () => {});
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const silent = fileURLToPath(new URL('../services/fetcher/connect/silent-name-servers.cjs', import.meta.url));
  return {
    env: {
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${silent}`,
      SILENT_NAME_SERVER: `127.0.0.1:${server.address().port}`,
    },
    close: () => server.close(),
  };
}

/** One port on addresses that only this machine has. */
export async function guardSecrets(): Promise<{ readonly port: number; reached(): number; close(): void }> {
  let reached = 0;
  const servers: Server[] = [];
  const listen = async (host: string, port: number) => {
    const server = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    server.listen(port, host);
    await once(server, 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const port = await listen('127.0.0.2', 0);
  // 0.0.0.0 and localhost lead there, too.
  for (const host of ['127.0.0.1', '::1']) await listen(host, port).catch(() => {});
  return { port, reached: () => reached, close: () => servers.map((server) => server.close()) };
}

export interface Attackers {
  readonly port: number;
  /** Of a fleet's API, which they attack. */
  setFleetPort(port: number): void;
  end(): void;
}

export async function startAttackers(privatePort: number): Promise<Attackers> {
  const script = fileURLToPath(new URL('attackers.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script, `${privatePort}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  setLast(child.pid!);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    port: Number(line),
    setFleetPort: (port) => void child.stdin.write(`${port}\n`),
    end: () => void child.kill('SIGKILL'),
  };
}
