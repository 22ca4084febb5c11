import type { FetcherFlags } from '../../hosting/options/fetching.ts';
import type { ProcessorFlags } from '../../hosting/options/processors.ts';

/** Warns of `render` rules in `--extract`, and of a browser's options, if no browser runs: they would have no effect. */
export function sayUnrendered(
  flags: Pick<FetcherFlags, 'extract'> & ProcessorFlags,
  say: (text: string) => void,
): void {
  if (flags.with?.includes('render') === true) return;
  const remedy = 'add --with render, or start crawlstream render beside the crawl';
  if (flags.extract?.render !== undefined) say(`--extract has render: rules, but no browser runs: ${remedy}`);
  for (const option of ['screenshots', 'browser'])
    if (flags[option] !== undefined)
      say(`--${option} has no effect, since no browser runs: ${remedy} with this option`);
}
