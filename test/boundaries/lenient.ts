/** The lenient reader of HTTP/1.1. */
import type { lenientLimits } from '../../services/fetcher/http/lenient-limits.ts';
import { LenientResponse } from '../../services/fetcher/http/lenient-response.ts';
import { type BoundaryTable, undriven, upTo } from './boundary.ts';

export const lenientBoundaries: BoundaryTable<typeof lenientLimits> = {
  originsMax: undriven('of 10,000 origins: one that is forgotten costs a request'),
  // Where the bytes that count have all been taken by the head.
  chunkLineFreeBytes: upTo((n) => {
    const head = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const parts = { onHead() {}, onData() {}, onComplete() {} };
    const answer = new LenientResponse(parts, { isHead: false, headerBytesMax: head.length });
    answer.push(head);
    try {
      answer.push(Buffer.from(`${'0'.repeat(n - 3)}1\r\n`));
      return true;
    } catch {
      return false;
    }
  }),
};
