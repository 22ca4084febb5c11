/** Scrapy from the package index, with our scheduler out of this tree, beside a running crawl. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from '../../lab/bench/content/python-environment.ts';

export const clientsFolder = fileURLToPath(new URL('../../clients/python/', import.meta.url));

export interface ScrapyRun {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** `python`: of a machine's virtual environment. */
export function scrapyPython(): string {
  return join(pythonEnvironment('scrapy-2.19.0', ['scrapy==2.19.0', 'openapi-spec-validator==0.9.0']), 'bin/python');
}

export function runSpider(
  spider: string,
  env: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>> = {},
): ScrapyRun {
  const all = {
    ADDONS: '{"crawlstream.scrapy.Addon": 500}',
    LOG_LEVEL: 'INFO',
    TELNETCONSOLE_ENABLED: 'False',
    ...settings,
  };
  const set = Object.entries(all).flatMap(([name, value]) => ['-s', `${name}=${value}`]);
  const child = spawn(scrapyPython(), ['-m', 'scrapy', 'runspider', spider, ...set], {
    env: { ...process.env, PYTHONPATH: clientsFolder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => output, ended };
}

export interface Called {
  readonly url: string;
  readonly parent: string;
  readonly depth: number;
}

/** Callbacks that were over. */
export function calledIn(file: string): Called[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as [string, string, number])
    .map(([url, parent, depth]) => ({ url, parent, depth }));
}
