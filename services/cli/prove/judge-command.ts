/** `crawlstream judge`: a synthetic web for any crawler, and a score card of its visit; with --suite, the checks of the suite. */
import type { Command } from 'commander';
import { judgeVisitor } from '../../../lab/judge/judge-visitor.ts';
import type { ScoreCard } from '../../../lab/judge/score-card.ts';
import type { WebPlan } from '../../../lab/web/plan.ts';
import { counted } from '../../runtime/counted.ts';
import { toStderr, toStdout } from '../../runtime/logging/door.ts';
import { bad, durationText } from '../../runtime/option-text.ts';
import { stopOnSignals } from '../../runtime/stop-signals.ts';
import { duration, wholeNumber } from '../flags/arguments.ts';
import type { SuiteFlags } from './suite-run.ts';

interface JudgeFlags extends SuiteFlags {
  readonly suite?: boolean;
  readonly hosts: number;
  readonly pages: number;
  readonly seed: number;
  readonly addresses?: boolean;
}

export function addJudgeCommand(program: Command): void {
  program
    .command('judge')
    .description('serve a synthetic web with traps and faults, and grade the crawler that visits it')
    .option('--listen <host:port>', 'address to listen on', listenAt, listenAt('127.0.0.1:8900'))
    .option('--hosts <n>', 'hosts of the synthetic web', wholeNumber('--hosts', 20, 10_000), 200)
    .option('--pages <n>', 'pages of each host', wholeNumber('--pages', 5, 10_000), 20)
    .option(
      '--seed <n>',
      'number of the random web; each number makes another web',
      wholeNumber('--seed', 0, 0xffff_ffff),
      1,
    )
    .option(
      '--delay <duration>',
      'least delay that a polite crawler keeps between requests to a host',
      duration('--delay', { mostMs: 60_000 }),
      250,
    )
    .option(
      '--crawl-delay <duration>',
      'Crawl-delay that some hosts ask for',
      duration('--crawl-delay', { mostMs: 60_000 }),
      1_000,
    )
    .option('--minutes <n>', 'longest time until the grade, in minutes', wholeNumber('--minutes', 1, 10_000), 10)
    .option(
      '--quiet <duration>',
      'time without a request after which the visit is over',
      duration('--quiet', { leastMs: 1_000, mostMs: 3_600_000 }),
      45_000,
    )
    .option('--addresses', 'use addresses 127.x.y.z instead of host names, for crawlers without a proxy (Linux)')
    .option('--json', 'print one line of JSON at the end')
    .option('--suite', 'serve the checks of the suite in place of the synthetic web')
    .option(
      '--retry-after <duration>',
      'with --suite: Retry-After of busy hosts, in whole seconds',
      duration('--retry-after', { leastMs: 1_000, mostMs: 3_600_000 }),
      2_000,
    )
    .option(
      '--name-server <port>',
      'with --suite: answer DNS for its hosts at this UDP port, for crawlers without a proxy (Linux)',
      wholeNumber('--name-server', 1, 65_535),
    )
    .option('--report <file>', 'with --suite: write an HTML report with the requests of each failed check')
    .option('--badge <file>', 'with --suite: write a badge with the score (SVG)')
    .option('--least <score>', 'with --suite: fail below this score, in percent', wholeNumber('--least', 0, 100))
    .argument('[command...]', 'with --suite, after --: crawler to start; {seed}, {proxy}, {port} and {ca} are replaced')
    .action(judge);
}

async function judge(command: readonly string[], flags: JudgeFlags): Promise<void> {
  if (flags.suite) {
    const { judgeBySuite } = await import('./suite-run.ts');
    return judgeBySuite(command, flags);
  }
  if (command.length > 0) throw bad('command', command[0]!, 'add --suite to start a crawler');
  const { listen, hosts, pages, seed, delay, crawlDelay } = flags;
  const stop = new AbortController();
  const { signal } = stop;
  const release = stopOnSignals(stop, 'the visit is over');
  try {
    const card = await judgeVisitor({
      ...listen,
      hosts,
      pages,
      seed,
      addresses: flags.addresses ?? false,
      delayMs: delay,
      crawlDelayMs: crawlDelay,
      quietMs: flags.quiet,
      limitMs: flags.minutes * 60_000,
      signal,
      onReady: (plan, port) => toStderr(`${invitation(plan, listen.address, port, flags)}\n`),
    });
    toStdout(`${cardText(card)}\n`);
    if (flags.json) toStdout(`${JSON.stringify(card)}\n`);
    if (card.passed < card.of) process.exitCode = 1;
  } finally {
    release();
  }
}

function invitation(plan: WebPlan, address: string, port: number, { addresses, quiet, minutes }: JudgeFlags): string {
  const seeds = plan.seeds(port);
  const way = addresses
    ? 'The hosts are addresses of this machine: any crawler on it finds them.'
    : `The hosts are found through it as an HTTP proxy: http_proxy=http://${address}:${port}\nor, by crawlstream, with --resolve '*.test:${port}:${address}'.`;
  return [
    `A web of ${plan.hosts.length} hosts is up on ${address}:${port}. Its seeds:`,
    ...seeds.map((url) => `  ${url}`),
    way,
    `All of its ${plan.hosts.length} hosts are in scope. The card comes ${durationText(quiet)} after the last request, after ${minutes} minutes, or on Ctrl-C.`,
  ].join('\n');
}

function cardText({ agents, requests, hosts, seconds, delayMs, rows, passed, of }: ScoreCard): string {
  if (requests === 0) return 'No crawler visited.';
  const lines = [
    `${agents.join(', ')}: ${counted(requests, 'request')} to ${counted(hosts, 'host')} in ${seconds} s, judged at ${delayMs} ms a host`,
  ];
  let area = '';
  for (const row of rows) {
    if (row.area !== area) lines.push('', row.area);
    area = row.area;
    const mark = row.ok === null ? '  - ' : row.ok ? ' ok ' : 'FAIL';
    lines.push(`  ${mark}  ${row.rule}: ${row.measured}`);
    if (row.ok === false) for (const detail of row.details.slice(0, 2)) lines.push(`          ${detail}`);
  }
  lines.push('', `${passed} of ${of} rules kept`);
  return lines.join('\n');
}

function listenAt(value: string): JudgeFlags['listen'] {
  const [, address, port] = /^(?:(.+):)?(\d{1,5})$/.exec(value) ?? [];
  if (port === undefined || Number(port) > 65_535) throw bad('--listen', value, 'give HOST:PORT, as in 127.0.0.1:8900');
  return { address: address?.replace(/^\[|\]$/g, '') ?? '127.0.0.1', port: Number(port) };
}
