/** Crawlee from the npm registry, with our queue out of this tree, beside a running crawl. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after } from 'node:test';
import { makeCrawleeProject } from '../../lab/process/crawlee-project.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

export { crawleeModules } from '../../lab/process/crawlee-project.ts';

export interface CrawleeRun {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** A project that has `crawlee` and `crawlstream` installed. */
export function crawleeProject(): string {
  return makeCrawleeProject(temporaryFolder());
}

/** `script`: a file that is copied into the project. */
export function runCrawler(
  project: string,
  script: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): CrawleeRun {
  const copy = join(project, basename(script));
  copyFileSync(script, copy);
  const child = spawn(process.execPath, [copy, ...args], {
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => output, ended };
}
