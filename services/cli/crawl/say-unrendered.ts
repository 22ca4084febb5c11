import type { FetcherFlags } from '../../hosting/options/fetching.ts';
import type { ProcessorFlags } from '../../hosting/options/processors.ts';

/** Warns of `render` rules in `--extract` if no browser runs, since they would have no effect. */
export function sayUnrendered(
  flags: Pick<FetcherFlags, 'extract'> & Pick<ProcessorFlags, 'with'>,
  say: (text: string) => void,
): void {
  if (flags.extract?.render === undefined || flags.with?.includes('render') === true) return;
  say(
    '--extract has render: rules, but no browser runs: add --with render, or start crawlstream render beside the crawl',
  );
}
