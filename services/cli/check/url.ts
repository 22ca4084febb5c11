/**
 * `crawlstream check url`: the URL that would be fetched, the key of its seen test, and the steps that lead to them.
 */
import type { Command } from 'commander';
import { explainNormalize, type NormalizeStep } from '../../../topology/url/normalize.ts';
import { withScheme } from '../../../topology/url/seed.ts';
import { explainSeenKey, seenKey } from '../../../topology/url/seen-key.ts';
import { normalUrl } from '../../hosting/options/url-argument.ts';
import { rows } from '../../runtime/rows-text.ts';
import { print } from '../terminal/print.ts';

export interface CheckedUrl {
  readonly url: string;
  readonly key: string;
  /** The steps in order; those of the key begin with `key.`. */
  readonly steps: readonly NormalizeStep[];
}

export function addCheckUrl(check: Command): void {
  check
    .command('url')
    .description('print the normal form of a URL, the form that the seen test compares, and each step')
    .argument('<url>', 'a URL in any spelling')
    .option('--json', 'print one line of JSON')
    .action((given: string, { json }: { readonly json?: boolean }) => {
      const checked = checkUrl(given);
      print({ json: checked, text: textOf(checked) }, json);
    });
}

export function checkUrl(given: string): CheckedUrl {
  const url = normalUrl(given);
  const typed = withScheme(given);
  const scheme = typed === given ? [] : [{ step: 'scheme', before: given, after: typed }];
  return { url, key: seenKey(url), steps: [...scheme, ...explainNormalize(typed), ...explainSeenKey(url)] };
}

function textOf({ url, key, steps }: CheckedUrl): string {
  const head = rows([
    ['url', url],
    ['key', key === url ? 'the same' : key],
  ]);
  return [head, ...steps.map(({ step, after }) => `  ${step.padEnd(22)}${after}`)].join('\n');
}
