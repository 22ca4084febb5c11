/**
 * `crawlstream policy …`: the policy of a crawl as versioned data on `control`.
 *
 * A version never changes: setting, reloading and rolling back each make a new, higher one, and every partition switches
 * where it stands in its `control`, which its changelog records.
 */
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { listsOf, withLists } from '../../../topology/policy/lists-of.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { compilePolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy, policyWithoutVersion } from '../../../topology/policy/validate.ts';
import { fieldOfList } from '../../../topology/url/url-lists.ts';
import { SystemClock } from '../../runtime/clock.ts';
import type { PlacedEvent } from '../../runtime/crawl/control-log.ts';
import { controlEvents } from '../../runtime/crawl/control-log.ts';
import { policyVersions } from '../../runtime/crawl/look.ts';
import { policyRequest, samePolicy } from '../../runtime/crawl/requests.ts';
import { readList } from '../../runtime/policy/list-files.ts';
import { withCrawl } from '../connect/open-crawl.ts';
import { listsOfCrawl } from '../connect/policy-lists.ts';
import { sendRequest } from '../connect/send-request.ts';
import { bad, wholeNumber } from '../flags/arguments.ts';
import type { KafkaFlags } from '../flags/kafka-flags.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { readText } from '../flags/named-file.ts';
import type { OperatorFlags } from '../flags/operator-flags.ts';
import { addOperatorOptions } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';
import { stopOnSignals } from '../terminal/stop-signals.ts';

interface ShowFlags extends KafkaFlags {
  readonly json?: boolean;
}

export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('show, set and roll back the policy of a crawl, running or not');
  addOperatorOptions(policy.command('set <file>').description('make a policy in JSON the one in force')).action(set);
  addOperatorOptions(
    policy.command('reload').description('read the lists of the policy again: where a file has changed, a new version'),
  )
    .option('--every <s>', 'go on, and read them again every so many seconds', wholeNumber('--every', 1, 86_400))
    .action(reload);
  addOperatorOptions(
    policy.command('rollback').argument('[version]', 'the version to go back to (default: the one before)'),
  )
    .description('make an earlier version the policy in force again, under a new version')
    .action(rollback);
  addCrawlOptions(policy.command('show').argument('[version]', 'a version (default: the one in force)'))
    .description('print a policy as JSON, as `policy set` takes it')
    .option('--json', 'on one line')
    .action(show);
  addCrawlOptions(policy.command('history').description('print every version: when, by whom, where it is in force'))
    .option('--json', 'as lines of JSON')
    .action(history);
}

async function set(file: string, flags: OperatorFlags): Promise<void> {
  const config = policyWithoutVersion(await readText('policy set', file));
  const { newest } = await versions(flags);
  await accept(flags, keepStanding(newest, await withHashes(config, dirname(resolve(file)))), newest.version);
}

interface ReloadFlags extends OperatorFlags {
  readonly every?: number;
}

async function reload(flags: ReloadFlags): Promise<void> {
  const { every } = flags;
  if (every === undefined) return reloadOnce(flags, true);
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'lists are read no more');
  const clock = new SystemClock();
  let said = '';
  for (let isFirst = true; !stop.signal.aborted; isFirst = false) {
    try {
      await reloadOnce(flags, isFirst);
      said = '';
    } catch (error) {
      // A file that is being replaced may be away, or half there: the policy stays as it is. What is wrong at once is said.
      if (isFirst || !(error instanceof CrawlstreamError)) throw error;
      if (error.message !== said) process.stderr.write(`${error.message}\n`);
      said = error.message;
    }
    await clock.sleepUntil(clock.nowMs() + every * 1_000, stop.signal);
  }
  release();
}

async function reloadOnce(flags: OperatorFlags, tellsAll: boolean): Promise<void> {
  const { newest } = await versions(flags);
  const next = await withHashes(newest, '/', true);
  if (!samePolicy(newest, next)) return accept(flags, next, newest.version);
  const text = `version ${newest.version} stays: no list has changed`;
  if (tellsAll) print({ json: { version: newest.version, changed: false }, text }, flags.json);
}

/** The policy in force, changed; null: it stays. */
export async function changePolicy(
  flags: OperatorFlags,
  change: (policy: PolicyConfig) => PolicyConfig | null,
): Promise<void> {
  const { newest } = await versions(flags);
  const next = change(newest);
  if (next !== null) await accept(flags, next, newest.version);
}

/** A policy that does not speak of a pause, a bandwidth or traces leaves an operator's word on them standing. */
export function keepStanding<T extends Partial<PolicyConfig>>(
  { paused, bytesPerSecond, trace }: PolicyConfig,
  policy: T,
): T {
  return {
    ...(paused === undefined ? {} : { paused }),
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
    ...(trace === undefined ? {} : { trace }),
    ...policy,
  };
}

async function rollback(given: string | undefined, flags: OperatorFlags): Promise<void> {
  const { all, newest } = await versions(flags);
  const target = given === undefined ? all.at(-2)?.event.version : wholeNumber('[version]', 1)(given);
  if (target === undefined) throw bad('policy rollback', '', 'there is no version before the one in force');
  await accept(
    { ...flags, by: `${flags.by} (back to ${target})` },
    keepStanding(newest, configOf(all, target)),
    newest.version,
  );
}

async function show(given: string | undefined, flags: ShowFlags): Promise<void> {
  const { all, newest } = await versions(flags);
  const config = given === undefined ? newest : configOf(all, wholeNumber('[version]', 1)(given));
  print({ json: config, text: JSON.stringify(config, null, 2) }, flags.json);
}

async function history(flags: ShowFlags): Promise<void> {
  const { all, inForce } = await versions(flags);
  for (const { offset, event } of all) {
    const { version, atMs, by } = event;
    const partitions = inForce.flatMap((one, partition) => (one === version ? [partition] : []));
    const at = new Date(atMs).toISOString();
    const where = partitions.length === 0 ? '' : `   in force on partition ${partitions.join(', ')}`;
    print({ json: { version, at, by, offset, partitions }, text: `${version}  ${at}  ${by}${where}` }, flags.json);
  }
}

/** Checks that the policy compiles with its lists, and sends it under the next version. */
async function accept(flags: OperatorFlags, config: Omit<PolicyConfig, 'version'>, newest: number): Promise<void> {
  const clock = new SystemClock();
  const nowMs = clock.nowMs();
  const policy: PolicyConfig = { ...config, version: Math.max(nowMs, newest + 1) };
  // Kept in the data folder as well, so that it does not matter what becomes of the files.
  compilePolicy(parsePolicy(JSON.stringify(policy)), await listsOfCrawl(policy, flags));
  const { offsets } = await sendRequest(flags, clock, (topics) => policyRequest(topics, policy, flags.by, nowMs));
  const text = `version ${policy.version} is accepted, on control at ${offsets.map((offset, partition) => `${partition}:${offset}`).join(' ')} (partition:offset)`;
  print({ json: { version: policy.version, offsets }, text }, flags.json);
}

/** Lists by absolute path, with the hash of what they hold now; a hash that the file names must be that one. */
export async function withHashes<T extends Omit<PolicyConfig, 'version'>>(
  config: T,
  folder: string,
  anew = false,
): Promise<T> {
  const hashed = await Promise.all(
    listsOf(config).map(async (list) => {
      const path = resolve(folder, list.path);
      const { sha256 } = await readList(path, fieldOfList(list));
      return { path, sha256: anew || list.sha256 === '' ? sha256 : list.sha256 };
    }),
  );
  return withLists(config, hashed);
}

interface Versions {
  /** In the order they were set. */
  readonly all: readonly PlacedEvent[];
  readonly newest: PolicyConfig;
  /** By partition; 0: none yet. */
  readonly inForce: readonly number[];
}

function versions(flags: KafkaFlags): Promise<Versions> {
  return withCrawl(flags, async ({ log, codec, topics }) => {
    const { crawl, partitions } = topics;
    const { start, end } = await log.offsets(`${crawl}.control`, 0);
    const all: PlacedEvent[] = [];
    for await (const placed of controlEvents(log, codec, crawl, 0, start, end)) {
      const { kind, version } = placed.event;
      if (kind === 'policy' && version > (all.at(-1)?.event.version ?? 0)) all.push(placed);
    }
    const last = all.at(-1);
    if (last === undefined)
      throw new CrawlstreamError('INVALID_ARGUMENT', 'the crawl has no policy yet: start it, or inject seeds');
    return { all, newest: parsePolicy(last.event.payload), inForce: await policyVersions(log, crawl, partitions) };
  });
}

function configOf(all: readonly PlacedEvent[], version: number): PolicyConfig {
  const found = all.find(({ event }) => event.version === version);
  if (found === undefined) throw bad('[version]', String(version), 'name one that `policy history` prints');
  return parsePolicy(found.event.payload);
}
