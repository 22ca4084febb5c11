/** What a new crawl is made with where the user does not say. */
import { fingerprintVersion } from '../../../topology/url/fingerprint.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import { seenKeyVersion } from '../../../topology/url/seen-key.ts';
import type { ManifestFacts } from '../../runtime/data-folder/manifest.ts';
import { suffixListHash } from '../../runtime/data-folder/suffix-list.ts';

/** Who takes the leases. */
export type Sink = NonNullable<ManifestFacts['sink']>;

/** What a command says of a crawl that it may begin. */
export interface NewCrawl {
  readonly partitions?: number | undefined;
  readonly keyMode?: KeyMode | undefined;
  /** Absent: fetchers take its leases. A crawl that is there has to be of the same. */
  readonly sink?: Sink | undefined;
  readonly fingerprintKey?: string | undefined;
}

export function newCrawl(crawl: string, partitions: number, sink: Sink = 'tasks'): ManifestFacts {
  return { crawl, partitions, keyMode: 'host', pslHash: suffixListHash(), seenKeyVersion, fingerprintVersion, sink };
}
