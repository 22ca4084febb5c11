/** The policy that a checker asks: from a file, or from the options that `crawl` takes. */
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { listsOf } from '../../../topology/policy/lists-of.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import { compilePolicy } from '../../../topology/policy/policy.ts';
import { parseSeed } from '../../../topology/url/seed.ts';
import type { PolicyFlags } from '../../hosting/policy/policy-of.ts';
import { policyOf } from '../../hosting/policy/policy-of.ts';
import { normalSeeds } from '../../hosting/policy/seeds.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import { collect } from '../flags/arguments.ts';
import { addPolicyOptions } from '../flags/policy-flags.ts';
import { policyInFile } from '../policy/policy-file.ts';

export interface CheckPolicyFlags extends PolicyFlags {
  readonly policy?: string;
  readonly seed?: string[];
}

export function addCheckPolicyOptions(command: Command): Command {
  addPolicyOptions(command)
    .option('--seed <url>', 'seed for --scope (repeatable; without it, every host is in scope)', collect(parseSeed))
    .addOption(
      new Option('--policy <file>', 'policy file (JSON), instead of the policy options').conflicts([
        'maxPages',
        'maxDepth',
        'scope',
        'include',
        'exclude',
        'delay',
        'retries',
        'overlays',
        'seed',
      ]),
    );
  return command;
}

export async function checkedPolicy(flags: CheckPolicyFlags): Promise<Policy> {
  if (flags.policy === undefined) {
    const seeds = normalSeeds(flags.seed ?? []);
    return compilePolicy(policyOf(seeds.length === 0 ? { ...flags, scope: 'all' } : flags, seeds));
  }
  const config = await policyInFile('--policy', flags.policy);
  return compilePolicy(config, await createListFiles().load(listsOf(config), dirname(flags.policy)));
}
