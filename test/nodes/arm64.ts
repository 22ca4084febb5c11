/**
 * Runs what lies on native code on an arm64 Node under emulation: `npm run -s prepare && node --import tsx test/nodes/arm64.ts`.
 *
 * The contract suites of stores and log, as they were compiled, and a small crawl whose web is served from here and
 * checked by its own records. Node comes from PyPI; where the emulator or its libraries are missing it says what to
 * install and that it was skipped. Exit code 1 where something failed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkCrawl } from '../../lab/web/check.ts';
import { planWeb } from '../../lab/web/plan.ts';
import { startWeb } from '../../lab/web/server.ts';
import { fetchNode } from './fetch-node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const libraries = '/usr/aarch64-linux-gnu';
const emulator = ['qemu-aarch64-static', '-L', libraries];
const platforms = ['manylinux_2_28_aarch64', 'manylinux_2_17_aarch64', 'manylinux2014_aarch64'];
const suites = ['store/store-contract', 'store/open-store', 'log/log-contract'];
const [delayMs, crawlDelayMs] = [100, 200];

function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux') return 'the emulator of single programs is there on Linux alone';
  const isThere = spawnSync(emulator[0]!, ['--version']).status === 0 && existsSync(join(libraries, 'lib'));
  const packages = 'qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross';
  return isThere ? undefined : `apt-get install ${packages}`;
}

/** Resolves to the exit code. Output goes to the terminal as it comes. */
function run(node: string, args: readonly string[]): Promise<number | null> {
  const { CRAWLSTREAM_STORE: _, NODE_OPTIONS: __, ...env } = process.env;
  const child = spawn(emulator[0]!, [...emulator.slice(1), node, ...args], { env, stdio: 'inherit' });
  return new Promise((resolve) => child.once('close', resolve));
}

/** Returns what is wrong. */
async function crawl(node: string): Promise<string | undefined> {
  const plan = planWeb({ preset: 'full', hosts: 8, pagesPerHost: 12, seed: 4, crawlDelayMs });
  const web = await startWeb(plan);
  const data = join(mkdtempSync(join(tmpdir(), 'crawlstream-arm64-')), 'data');
  try {
    const code = await run(node, [
      ...[join(dist, 'services/cli/main.js'), 'crawl', ...plan.seeds(web.port), '--data', data],
      ...['--resolve', `*.test:${web.port}:127.0.0.1`, '--delay', `${delayMs}ms`, '--retries', '0.1s,0.2s'],
    ]);
    if (code !== 0) return `exit code ${code}`;
    const store = readFileSync(join(data, 'log', 'STORE'), 'utf8').trim();
    if (store !== 'classic-level') return `the log lies on ${store}`;
    const report = checkCrawl(plan, web.requests(), { delayMs, dropped: web.dropped });
    console.log(`crawl on arm64: ${report.fetched} of ${report.expected} pages, on ${store}`);
    return report.ok ? undefined : JSON.stringify(report);
  } finally {
    await web.close();
    rmSync(join(data, '..'), { recursive: true, force: true });
  }
}

const missing = whatIsMissing();
const fetched = missing === undefined ? fetchNode('24.19.*', { platforms, emulator }) : undefined;
if (fetched === undefined || typeof fetched === 'string') {
  console.log(`arm64: skipped, ${missing ?? fetched}`);
} else {
  const failed: string[] = [];
  for (const suite of suites) {
    const code = await run(fetched.node, [join(dist, `test/services/runtime/${suite}.test.js`)]);
    if (code !== 0) failed.push(suite);
  }
  const wrong = await crawl(fetched.node);
  if (wrong !== undefined) failed.push(`crawl: ${wrong}`);
  console.log(`Node ${fetched.version} on arm64: ${failed.length === 0 ? 'passed' : `FAILED ${failed.join(', ')}`}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
