/** What a new crawl is made with where the user does not say. */
import { fingerprintVersion } from '../../../topology/url/fingerprint.ts';
import { seenKeyVersion } from '../../../topology/url/seen-key.ts';
import type { ManifestFacts } from '../../runtime/data-folder/manifest.ts';
import { suffixListHash } from '../../runtime/data-folder/suffix-list.ts';

/** Who takes the leases. */
export type Sink = NonNullable<ManifestFacts['sink']>;

export function newCrawl(crawl: string, partitions: number, sink: Sink = 'tasks'): ManifestFacts {
  return { crawl, partitions, keyMode: 'host', pslHash: suffixListHash(), seenKeyVersion, fingerprintVersion, sink };
}
