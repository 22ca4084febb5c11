/** The synthetic web in a separate process, with its record of requests. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CheckReport } from '../../web/check.ts';
import type { RequestRecord } from '../../web/records.ts';
import { startNode } from './compiled-process.ts';

export interface WebProcess {
  readonly pid: number;
  readonly seeds: readonly string[];
  /** Values for `--resolve`. */
  readonly resolve: readonly string[];
  /** For a web over TLS: a file with its certificate. */
  readonly certificate?: string;
  /** `query` as in lab/web/control.ts. */
  report(query: string): Promise<CheckReport>;
  requests(): Promise<RequestRecord[]>;
  end(): Promise<void>;
}

/** `options` of lab/web/main.ts. */
export async function startWebProcess(options: readonly string[], core: number | null): Promise<WebProcess> {
  const args = ['dist/lab/web/main.js', '--exit-with-stdin', ...options];
  const child = startNode(core, args, ['pipe', 'pipe', 'inherit']);
  const ready = await firstLine(child.stdout!);
  const ask = async (what: string) => (await fetch(`${ready.control}${what}`, { method: 'POST' })).text();
  return {
    pid: child.pid!,
    seeds: ready.seeds,
    resolve: ready.resolve,
    ...(ready.certificate === undefined ? {} : { certificate: ready.certificate }),
    report: async (query) => JSON.parse(await ask(`report?${query}`)) as CheckReport,
    requests: async () =>
      (await ask('requests'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as RequestRecord),
    end: async () => {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

interface Ready {
  readonly control: string;
  readonly resolve: readonly string[];
  readonly seeds: readonly string[];
  readonly certificate?: string;
}

async function firstLine(stdout: NodeJS.ReadableStream): Promise<Ready> {
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line) as Ready;
  throw new Error('the synthetic web did not start');
}
