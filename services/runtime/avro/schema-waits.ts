/** Who waits for a schema that nobody here knows: what probes and operators are told meanwhile. */
import type { CrawlstreamError } from '../../../topology/errors.ts';

export interface SchemaWaits {
  /** Somebody waits from now on; call what it gives when they do not any more. */
  begin(error: CrawlstreamError): () => void;
  /** What is waited for, in words; null: nothing. */
  readonly waitsFor: string | null;
  /** Told once of each thing that is waited for, until nobody waits for it any more. */
  onWait: (error: CrawlstreamError) => void;
}

export function createSchemaWaits(): SchemaWaits {
  const waiting = new Set<CrawlstreamError>();
  return {
    onWait: () => {},
    begin(error) {
      const isNews = ![...waiting].some(({ message }) => message === error.message);
      waiting.add(error);
      if (isNews) this.onWait(error);
      return () => void waiting.delete(error);
    },
    get waitsFor() {
      const [first] = waiting;
      return first === undefined ? null : first.message;
    },
  };
}
