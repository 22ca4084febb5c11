/** Readers that wait for an unknown schema; probes and operators see them meanwhile. */
import type { CrawlstreamError } from '../../../topology/errors.ts';

export interface SchemaWaits {
  /** Notes that a reader waits from now on; call the function that it returns when the wait is over. */
  begin(error: CrawlstreamError): () => void;
  /** The schemas that the reader waits for, in words; null: none. */
  readonly waitsFor: string | null;
  /** Called once for each schema that is waited for, as long as the wait lasts. */
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
