/** `crawlstream urlfrontier` as a separate process, from its source, on a data folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ServedProcess {
  readonly port: number;
  readonly child: ChildProcess;
  /** kill -9. */
  stop(): Promise<void>;
}

/** `flags`: flags of Node, as the command sets them (a young generation as large). */
export async function startServed(folder: string, flags: readonly string[] = []): Promise<ServedProcess> {
  const main = fileURLToPath(new URL('../../services/cli/main.ts', import.meta.url));
  const node = ['--max-semi-space-size=32', ...flags, '--import', 'tsx'];
  const args = [...node, main, 'urlfrontier', '--port', '0', '--data', folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  const port = await new Promise<number>((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-20_000);
      const port = /serving crawl .*:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('close', () => reject(new Error(`the server ended: ${said}`)));
  });
  return {
    port,
    child,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    },
  };
}
