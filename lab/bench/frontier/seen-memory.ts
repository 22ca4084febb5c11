/** The seen test that `--seen` and `--memory` ask for. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { countsOf, defaultSeen, type SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import type { BenchOptions } from '../bench-options.ts';

/** `exact`: all in memory, at least `--memory`. `drum`: exact too, in `--memory` and no more. `bloom`: a filter alone. */
export function seenConfig({ seen, memoryBytes, urls: links, known, given }: BenchOptions): SeenConfig {
  const urls = links + known;
  if (seen === 'bloom') return { ...defaultSeen, kind: 'bloom', bloomUrls: urls };
  if (seen === 'drum') return { ...defaultSeen, memoryBytes };
  const config = { ...defaultSeen, memoryBytes: given.has('memory') ? memoryBytes : Math.max(memoryBytes, urls * 64) };
  if (countsOf(config).tableMax >= urls) return config;
  const message = `--memory ${memoryBytes / 2 ** 20} is too little for ${urls} URLs: give more, or --seen drum`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
