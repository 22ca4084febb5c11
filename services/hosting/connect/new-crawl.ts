/** Defaults of a new crawl. */
import { fingerprintVersion } from '../../../topology/url/fingerprint.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import { seenKeyVersion } from '../../../topology/url/seen-key.ts';
import type { ManifestFacts } from '../../runtime/data-folder/manifest.ts';
import { suffixListHash } from '../../runtime/data-folder/suffix-list.ts';

/** The consumer of leases. */
export type Sink = NonNullable<ManifestFacts['sink']>;

/** Options of a command for a crawl that it may create. */
export interface NewCrawl {
  readonly partitions?: number | undefined;
  readonly keyMode?: KeyMode | undefined;
  /** Absent: fetchers take its leases. An existing crawl must be of the same kind. */
  readonly sink?: Sink | undefined;
  readonly fingerprintKey?: string | undefined;
}

export function newCrawl(crawl: string, partitions: number, sink: Sink = 'tasks'): ManifestFacts {
  return { crawl, partitions, keyMode: 'host', pslHash: suffixListHash(), seenKeyVersion, fingerprintVersion, sink };
}
