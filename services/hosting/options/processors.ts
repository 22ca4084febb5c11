import type { Processor } from '../../application/processor/processor.ts';
import { extractRulesSchema } from '../../fetcher/pages/extract-rules.ts';
import { archiveSettings, type FetcherFlags, trustSettings } from './fetching.ts';
import { identityOf } from './identity.ts';

export interface ProcessorFlags extends Readonly<Record<string, unknown>> {
  /** Names, in the order of the topology. */
  readonly with?: readonly string[];
  /** Path of a module with the user's function that gets each page. */
  readonly handler?: string;
}

export function reachOf(flags: Partial<FetcherFlags>) {
  return {
    allowPrivate: flags.allowPrivate ?? false,
    resolve: flags.resolve ?? [],
    ...identityOf(flags),
    ...trustSettings(flags),
    ...archiveSettings(flags),
    ...(flags.requests !== undefined && { requests: flags.requests }),
  };
}

/** Adds the fetcher's settings that the processors beside it need. */
export function withNeeds<T extends Partial<FetcherFlags>>(flags: T, beside: readonly Processor[]): T {
  const needed = beside.map(({ needs }) => needs);
  return {
    ...flags,
    ...(needed.includes('responses') && { responses: true }),
    ...(needed.includes('outlinks') && { outlinks: true }),
    ...(needed.includes('mainText') && {
      extract: { ...(flags.extract ?? extractRulesSchema.parse({})), mainText: true },
    }),
  };
}
