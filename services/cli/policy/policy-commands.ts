/**
 * `crawlstream policy …`: the policy of a crawl as versioned data on `control`.
 *
 * A version never changes: set, reload and rollback each create a new, higher one. Each partition switches when it
 * reads the version on its `control`, and its changelog records the switch.
 */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { uncheckedExtras } from '../../../topology/policy/extra-fields.ts';
import { keepInForce } from '../../../topology/policy/keep-in-force.ts';
import { policyChanges } from '../../../topology/policy/merge.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import type { OperatorFlags } from '../../hosting/options/operator.ts';
import { type PluginFlags, pluginFields } from '../../hosting/options/plugins.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { samePolicy } from '../../runtime/crawl/requests.ts';
import { toStderr, toStdout } from '../../runtime/logging/door.ts';
import { say } from '../../runtime/logging/say.ts';
import { bad } from '../../runtime/option-text.ts';
import { stopOnSignals } from '../../runtime/stop-signals.ts';
import { duration, wholeNumber } from '../flags/arguments.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { addOperatorOptions } from '../flags/operator-flags.ts';
import { addPluginOption } from '../flags/plugin-flags.ts';
import { print } from '../terminal/print.ts';
import { policyFromFile } from './policy-file.ts';
import { accept, configOf, versions, withHashes } from './policy-versions.ts';

interface ShowFlags extends KafkaFlags {
  readonly json?: boolean;
}

export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('show, set and roll back the policy of a crawl, running or not');
  const setting = policy
    .command('set <file>')
    .description('change the policy by a YAML or JSON file: the fields in it, or a whole policy');
  addPluginOption(addOperatorOptions(setting)).action(set);
  addOperatorOptions(
    policy.command('reload').description('reload the lists of the policy; a changed file makes a new version'),
  )
    .option(
      '--every <duration>',
      'keep running and reload the lists at this interval, as in 5m',
      duration('--every', { leastMs: 1_000, mostMs: 86_400_000 }),
    )
    .action(reload);
  addOperatorOptions(
    policy.command('rollback').argument('[version]', 'the version to go back to (default: the one before)'),
  )
    .description('restore an earlier version of the policy, as a new version')
    .action(rollback);
  addCrawlOptions(policy.command('show').argument('[version]', 'a version (default: the one in force)'))
    .description('print a policy as JSON, as `policy set` takes it')
    .option('--json', 'print the JSON on one line')
    .action(show);
  addCrawlOptions(
    policy
      .command('history')
      .description('print all versions of the policy: time, author, partitions where it is in force'),
  )
    .option('--json', 'print JSON lines')
    .action(history);
}

async function set(file: string, flags: OperatorFlags & PluginFlags): Promise<void> {
  const fields = await pluginFields(flags);
  // Mistakes in the file are reported before any crawl is contacted.
  await policyFromFile('policy set', file, defaultPolicy(), fields);
  const { newest } = await versions(flags);
  const next = keepInForce(newest, await policyFromFile('policy set', file, newest, fields));
  await accept(flags, next, newest);
  for (const name of uncheckedExtras(newest, next, fields))
    say(`policy.extras.${name}: not checked, since no extra or plugin of this name is here (--plugin FILE)`, 'warn');
  if (flags.json) return;
  const changes = policyChanges(newest, next);
  toStdout(`${changes.length === 0 ? '  nothing differs' : changes.map((one) => `  ${one}`).join('\n')}\n`);
}

interface ReloadFlags extends OperatorFlags {
  readonly every?: number;
}

async function reload(flags: ReloadFlags): Promise<void> {
  const { every } = flags;
  if (every === undefined) return reloadOnce(flags, true);
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'stopped reloading lists');
  const clock = new SystemClock();
  let said = '';
  for (let isFirst = true; !stop.signal.aborted; isFirst = false) {
    try {
      await reloadOnce(flags, isFirst);
      said = '';
    } catch (error) {
      // A file that is being replaced may be missing or incomplete for a moment: then the policy stays as it is. A
      // mistake at the first reading ends the command.
      if (isFirst || !(error instanceof CrawlstreamError)) throw error;
      if (error.message !== said) toStderr(`${error.message}\n`);
      said = error.message;
    }
    await clock.sleepUntil(clock.nowMs() + every, stop.signal);
  }
  release();
}

async function reloadOnce(flags: OperatorFlags, reportsAll: boolean): Promise<void> {
  const { newest } = await versions(flags);
  const next = await withHashes(newest, '/', true);
  if (!samePolicy(newest, next)) return accept(flags, next, newest);
  const text = `version ${newest.version} stays in force: no list has changed`;
  if (reportsAll) print({ json: { version: newest.version, changed: false }, text }, flags.json);
}

async function rollback(given: string | undefined, flags: OperatorFlags): Promise<void> {
  const { all, newest } = await versions(flags);
  const target = given === undefined ? all.at(-2)?.event.version : wholeNumber('[version]', 1)(given);
  if (target === undefined) throw bad('policy rollback', '', 'there is no earlier version');
  await accept({ ...flags, by: `${flags.by} (back to ${target})` }, keepInForce(newest, configOf(all, target)), newest);
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
