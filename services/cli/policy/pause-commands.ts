/**
 * `crawlstream pause`, `resume` and `bandwidth`: the whole crawl, on all partitions and fetchers.
 *
 * Each makes a version of the policy like any other, so that it is recorded with sender and time, and holds over
 * restarts. A paused crawl grants no more leases; those that are out end politely, and their results are taken as
 * usual.
 */
import type { Command } from 'commander';
import type { OperatorFlags } from '../../hosting/options/operator.ts';
import { bytes } from '../flags/arguments.ts';
import { addOperatorOptions, operatorsGroup } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';
import { changePolicy } from './policy-versions.ts';

const bytesASecond = bytes('bandwidth', 1000, 'give bytes per second from 1k, as in 500k, 2M or 1MiB, or none');

export function addPauseCommands(program: Command): void {
  const operator = (name: string, description: string) =>
    addOperatorOptions(program.command(name).description(description).helpGroup(operatorsGroup));
  operator('pause', 'pause a crawl: grant no more leases; current leases end normally').action((flags: OperatorFlags) =>
    setPaused(flags, true),
  );
  operator('resume', 'resume a paused crawl').action((flags: OperatorFlags) => setPaused(flags, false));
  operator(
    'bandwidth <rate>',
    'limit bytes a second over all fetchers, as in 500k or 2M ("none" removes the limit)',
  ).action(async (rate: string, flags: OperatorFlags) => {
    const bytesPerSecond = rate === 'none' ? undefined : bytesASecond(rate);
    await changePolicy(flags, ({ bytesPerSecond: _, ...policy }) =>
      bytesPerSecond === undefined ? policy : { ...policy, bytesPerSecond },
    );
  });
}

async function setPaused(flags: OperatorFlags, paused: boolean): Promise<void> {
  await changePolicy(flags, (policy) => {
    if ((policy.paused ?? false) === paused) {
      const stands = paused ? 'paused already' : 'not paused';
      print({ json: { paused, changed: false }, text: `the crawl is ${stands}` }, flags.json);
      return null;
    }
    const { paused: _, ...rest } = policy;
    return paused ? { ...rest, paused } : rest;
  });
}
