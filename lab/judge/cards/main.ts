/**
 * Makes the cards of other crawlers: installs each from its registry into a temporary folder, runs it against the
 * suite, and writes version, command and results to docs/judge-cards/.
 *
 *   npx tsx lab/judge/cards/main.ts [NAME...]
 *
 * Requires the tools that each crawler requires (python3 with venv, go, wget, apt-get) and access to the registries.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CardedCrawler, cardedCrawlers } from './crawlers.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
const here = join(root, 'lab/judge/cards/crawlers');
const cards = join(root, 'docs/judge-cards');
const portFirst = 8_941;

function shell(command: string, cwd: string): string {
  const filled = command.replaceAll('{here}', here).replaceAll('{root}', root);
  const { status, stdout, stderr } = spawnSync('bash', ['-c', filled], { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stderr.slice(-2_000)}`);
  return stdout;
}

interface RunCheck {
  readonly id: string;
  readonly result: string;
  readonly counts: boolean;
  readonly why?: string;
}

function makeCard(crawler: CardedCrawler, port: number): void {
  const { name, settingsFrom, install, version, command, minutes } = crawler;
  const folder = mkdtempSync(join(tmpdir(), `card-${name}-`));
  try {
    for (const step of install) shell(step, folder);
    const said = shell(version, folder).trim();
    const suite = [
      'judge',
      '--suite',
      '--listen',
      `127.0.0.1:${port}`,
      '--minutes',
      String(minutes),
      '--quiet',
      '30s',
      '--json',
    ];
    const words = command
      .replaceAll('{here}', here)
      .replaceAll('{root}', root)
      .replaceAll('{proxyhost}', `127.0.0.1:${port}`);
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'dist/bundle/crawlstream.js'), ...suite, '--', 'bash', '-c', words],
      { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 },
    );
    const line = stdout.trim().split('\n').at(-1) ?? '';
    if (!line.startsWith('{')) throw new Error(`${name}: no card.\n${stdout.slice(-1_000)}${stderr.slice(-2_000)}`);
    const { checks, ...card } = JSON.parse(line) as Record<string, unknown> & { checks: RunCheck[] };
    const kept = {
      ...{ suite: card['suite'], name, version: said, settingsFrom, install, command, minutes },
      ...{ agents: card['agents'], requests: card['requests'], seconds: card['seconds'], pace: card['pace'] },
      ...{ score: card['score'], passed: card['passed'], families: card['families'] },
      // All checks that did not fail have passed.
      failed: Object.fromEntries(checks.filter(({ result }) => result === 'fail').map(({ id, why }) => [id, why])),
      notReached: checks.filter(({ result }) => result === 'not reached').map(({ id }) => id),
      checks: checks.length,
    };
    mkdirSync(cards, { recursive: true });
    writeFileSync(join(cards, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
    process.stdout.write(`${name} ${said}: ${String(card['score'])} %\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !cardedCrawlers.some((one) => one.name === name));
if (unknown.length > 0)
  throw new RangeError(`No crawler ${unknown.join(', ')}. Give ${cardedCrawlers.map(({ name }) => name).join(', ')}.`);
for (const [i, crawler] of cardedCrawlers.entries())
  if (wanted.length === 0 || wanted.includes(crawler.name)) makeCard(crawler, portFirst + i);
