/**
 * Operators' commands: each is an event on `control` with its sender and time, which a running crawl applies at once.
 */
import type { Command } from 'commander';
import { outcomeKinds } from '../../../schemas/types.ts';
import { requeueOutcomes } from '../../../topology/frontier/decide/control-payloads.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { parallelLimits } from '../../../topology/policy/limits.ts';
import { shapeOf } from '../../../topology/policy/traps/shape.ts';
import { frontQueueCount } from '../../../topology/url/front-queue.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { sendRequest } from '../../hosting/connect/send-request.ts';
import type { OperatorFlags, TargetFlags } from '../../hosting/options/operator.ts';
import { hostArgument, normalUrl } from '../../hosting/options/url-argument.ts';
import { withStates } from '../../hosting/state/state-source.ts';
import { matchHost, matchText } from '../../operation/match-target.ts';
import { SystemClock } from '../../runtime/clock.ts';
import type { HostEventKind } from '../../runtime/crawl/operator-events.ts';
import { hostEvent, type Said, trapEvent } from '../../runtime/crawl/operator-events.ts';
import type { CrawlTopics, RequestRecord } from '../../runtime/crawl/requests.ts';
import { bad } from '../../runtime/option-text.ts';
import { duration, oneOf, wholeNumber } from '../flags/arguments.ts';
import { addOperatorOptions, addTargetOptions, operatorsGroup } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';
import { lower, raise, requeue } from './requeue.ts';

const requeueHelp = `outcome (${outcomeKinds.join(', ')}), or final state: page, failed (no retry), dead (retries used up)`;

interface RequeueFlags extends OperatorFlags {
  readonly host?: string;
  readonly prefix?: string;
  readonly outcome?: (typeof requeueOutcomes)[number];
}

export function addOperatorCommands(program: Command): void {
  addHostCommands(program);
  addUrlCommands(program);
  addTrapCommands(program);
}

function addHostCommands(program: Command): void {
  const about = (name: string, kind: HostEventKind, description: string) =>
    ofHost(program, `${name} <host>`, description).action((given: string, flags: TargetFlags) => {
      const host = hostArgument(given);
      return send(flags, host, `${name} ${host}`, (topics, said) => hostEvent(topics, said, kind, host));
    });
  about('block', 'blockHost', 'stop requests to a host; its URLs are deferred until it is unblocked');
  about(
    'unblock',
    'releaseHost',
    'crawl a host again that is blocked, was unreachable, or has a Crawl-delay above the cap',
  );
  const withAmount = (
    name: string,
    kind: HostEventKind,
    amount: string,
    description: string,
    parse: (value: string) => number,
  ) =>
    ofHost(program, `${name} <host> <${amount}>`, description).action(
      (given: string, value: string, flags: TargetFlags) => {
        const host = hostArgument(given);
        const number = value === 'default' ? -1 : parse(value);
        return send(flags, host, `${name} ${host} ${value}`, (topics, said) =>
          hostEvent(topics, said, kind, host, number),
        );
      },
    );
  const { delayMsMax } = crawlLimits;
  withAmount(
    'delay',
    'hostDelay',
    'duration',
    'set the delay between requests to a host, as in 30s ("default": as in the policy)',
    duration('<duration>', { mostMs: delayMsMax }),
  );
  withAmount(
    'limit',
    'hostLimit',
    'pages',
    'set the most pages of a host ("default": no limit)',
    wholeNumber('<pages>'),
  );
  withAmount(
    'parallel',
    'hostLeases',
    'leases',
    'fetch a host by n leases at once, each at its full delay: n times the rate; or "default"',
    wholeNumber('<leases>', 1, parallelLimits.leasesMax),
  );
  withAmount(
    'budget',
    'budget',
    'urls',
    'set a host’s URLs per budget period, or "default"; only if the policy has a budget',
    wholeNumber('<urls>'),
  );
}

function addUrlCommands(program: Command): void {
  const last = frontQueueCount - 1;
  operator(
    program,
    'raise <url>',
    'queue a URL first at its host; finished and unknown URLs too, if the filters admit them',
  ).action((given: string, flags: OperatorFlags) => {
    return raise(flags, normalUrl(given));
  });
  operator(program, 'lower <url>', 'move a queued URL to the end of its host’s last front queue, or of --to')
    .option('--to <queue>', `front queue, 0 to ${last}`, wholeNumber('--to', 0, last), last)
    .action((given: string, { to, ...flags }: OperatorFlags & { readonly to: number }) => {
      return lower(flags, normalUrl(given), to);
    });
  operator(program, 'requeue', 'refetch finished URLs, selected by host, prefix and outcome')
    .option('--host <host>', 'only URLs of this host')
    .option('--prefix <url>', 'only URLs with this prefix')
    .option('--outcome <outcome>', requeueHelp, oneOf('--outcome', requeueOutcomes))
    .action((flags: RequeueFlags) => {
      const { host, prefix, outcome } = flags;
      if (host === undefined && prefix === undefined && outcome === undefined)
        throw bad('requeue', '', 'no URLs are selected: give --host, --prefix or --outcome');
      const beginning = prefix === undefined ? '' : normalUrl(prefix);
      const hostKey = host !== undefined ? hostArgument(host) : beginning === '' ? '' : hostKeyOf(beginning);
      return requeue(flags, { hostKey, prefix: beginning, outcome: outcome ?? null });
    });
}

function addTrapCommands(program: Command): void {
  ofHost(program, 'trap <prefix>', 'defer new URLs under a prefix; digits, tokens and titles in it match any value')
    .option('--why <text>', 'reason of the trap, which explain shows', '')
    .action((prefix: string, flags: TargetFlags & { readonly why: string }) => {
      const { hostKey, pattern } = trapArgument(prefix);
      const say = `trap ${pattern} of ${hostKey}`;
      return send(flags, hostKey, say, (topics, said) => trapEvent(topics, said, 'trap', hostKey, pattern, flags.why));
    });
  ofHost(
    program,
    'release <host> <pattern>',
    'queue the URLs that a trap defers; the command explain prints the pattern',
  ).action((given: string, pattern: string, flags: TargetFlags) => {
    const host = hostArgument(given);
    const say = `release ${pattern} of ${host}`;
    return send(flags, host, say, (topics, said) => trapEvent(topics, said, 'releaseTrap', host, pattern));
  });
}

function ofHost(program: Command, name: string, description: string): Command {
  return addTargetOptions(program.command(name).description(description).helpGroup(operatorsGroup));
}

function operator(program: Command, name: string, description: string): Command {
  const command = program.command(name).description(description).helpGroup(operatorsGroup);
  return addOperatorOptions(command);
}

async function send(
  flags: TargetFlags,
  hostKey: string,
  say: string,
  make: (topics: CrawlTopics, said: Said) => RequestRecord[],
): Promise<void> {
  const clock = new SystemClock();
  const atMs = clock.nowMs();
  const { by } = flags;
  const matched = flags.force === true ? null : await withStates(flags, (source) => matchHost(source, hostKey));
  const { records, offsets } = await sendRequest(flags, clock, (topics) => make(topics, { by, atMs }));
  const sent = records.map(({ partition, record }, index) => ({
    topic: 'control' as const,
    partition,
    offset: offsets[index]!,
    event: record,
  }));
  const where = sent.map(({ partition, offset }) => `${partition}:${offset}`).join(' ');
  const what = matched === null ? '' : `\n${matchText(matched)}`;
  print(
    { json: { matched, sent }, text: `${say}: recorded on topic control at ${where} (partition:offset)${what}` },
    flags.json,
  );
}

/** A prefix in any spelling: the host, and the shape of URLs with this prefix. */
function trapArgument(prefix: string): { readonly hostKey: string; readonly pattern: string } {
  const url = normalUrl(prefix);
  return { hostKey: hostKeyOf(url), pattern: shapeOf(url) };
}
