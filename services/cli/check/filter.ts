/** `crawlstream check filter`: would a crawl take this URL, and if not, by which rule? */
import type { Command } from 'commander';
import { intents } from '../../../schemas/types.ts';
import type { LinkFacts } from '../../../topology/policy/metadata-rules.ts';
import { decidingText } from '../../../topology/policy/overlays.ts';
import { withScheme } from '../../../topology/url/seed.ts';
import { rows } from '../../runtime/rows-text.ts';
import { oneOf, wholeNumber } from '../flags/arguments.ts';
import { print } from '../terminal/print.ts';
import { addCheckPolicyOptions, type CheckPolicyFlags, checkedPolicy } from './policy.ts';

interface FilterFlags extends CheckPolicyFlags {
  readonly depth: number;
  readonly hop: number;
  readonly source?: string;
  readonly intent: LinkFacts['intent'];
  readonly json?: boolean;
}

export function addCheckFilter(check: Command): void {
  const command = check
    .command('filter')
    .description('print whether a crawl would take a URL, and the rule that decides')
    .argument('<url>', 'a URL in any spelling')
    .option('--depth <n>', 'number of links between a seed and the URL', wholeNumber('--depth'), 0)
    .option('--hop <n>', 'number of redirects that led to the URL', wholeNumber('--hop'), 0)
    .option('--source <url>', 'page that links to the URL; only rules with sourceDomains or offHost use it')
    .option(
      '--intent <intent>',
      'intent of the link: discover, refresh or force; only rules with intents use it',
      oneOf('--intent', intents),
      'discover',
    )
    .option('--json', 'print one line of JSON');
  addCheckPolicyOptions(command).action(checkFilter);
}

async function checkFilter(given: string, flags: FilterFlags): Promise<void> {
  const policy = await checkedPolicy(flags);
  const { depth, hop, intent, source = '' } = flags;
  const policyVersion = policy.config.version;
  const sourceUrl = source === '' ? '' : (policy.normalize(withScheme(source)) ?? '');
  const admission = policy.admit(withScheme(given), depth, hop, { depth, hop, intent, sourceUrl, lastModifiedMs: 0 });
  if (!admission.ok) {
    const { rule, detail } = admission;
    const url = policy.normalize(withScheme(given));
    const table = rows([
      ['verdict', 'refused'],
      ['rule', rule],
      ['detail', detail],
      ['url', url],
    ]);
    print({ json: { url, admitted: false, rule, detail, policyVersion }, text: table }, flags.json);
    return;
  }
  const { url, hostKey, frontQueue } = admission;
  const overlays = policy.deciding(url);
  const table = rows([
    ['verdict', 'admitted'],
    ['url', url],
    ['host', hostKey],
    ['front queue', frontQueue],
    ['overlays', overlays.length === 0 ? null : overlays.map(decidingText).join('\n')],
  ]);
  print({ json: { url, admitted: true, hostKey, frontQueue, overlays, policyVersion }, text: table }, flags.json);
}
