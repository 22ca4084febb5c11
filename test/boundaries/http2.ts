/** HTTP/2: connections and their streams. */
import type { h2Limits } from '../../services/fetcher/http/h2-limits.ts';
import { type BoundaryTable, tuning, undriven } from './boundary.ts';

export const h2Boundaries: BoundaryTable<typeof h2Limits> = {
  headerFieldsMax: undriven('the library’s own bound; h2-connection.test.ts has 500 fields'),
  headerListFactor: undriven('the library’s own bound: the limit of the request’s header bytes comes first'),
  streamWindowBytes: tuning('how much of a body is under way'),
  connectionWindowBytes: tuning('how much of all bodies is under way'),
  lookMs: tuning('how late an idle connection is closed'),
  silenceMs: undriven('a real socket’s clock: h2-connection.test.ts has it reached'),
  pingAnswerMs: undriven('a real socket’s clock: h2-connection.test.ts has it reached'),
  http1OriginsMax: undriven('of 10,000 origins: one that is forgotten costs a request'),
};
