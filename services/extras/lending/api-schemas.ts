/**
 * Schemas of the lease API's messages. Its OpenAPI document is generated from them (openapi.ts), so that calls are
 * checked exactly as documented.
 */
import { z } from 'zod';
import { rangeLimits } from '../../../schemas/range-limits.ts';
import { lendingLimits } from './lending-limits.ts';

const { leasesPerCallMax, waitMsMax, leaseMsMin, leaseMs, resultsPerCallMax, urlsPerCallMax, textCharsMax } =
  lendingLimits;
const dayMs = 86_400_000;
const count = z.int().min(0);
const token = z.string().min(1).max(64).describe('Id of the lease.');
const newLeaseMs = z
  .int()
  .min(leaseMsMin)
  .max(dayMs)
  .default(leaseMs)
  .describe('After this time in ms without a result or renewal, the lease expires and its URLs are leased again.');

/** A longer text is refused, with its place. */
const payload = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= lendingLimits.payloadBytesMax, {
    message: `it is longer than ${lendingLimits.payloadBytesMax} bytes`,
  })
  .describe('Returned unchanged with each lease of the URL, for example a serialised request.');

export const leaseCall = z.strictObject({
  count: z.int().min(1).max(leasesPerCallMax).default(16).describe('Most URLs to lease.'),
  waitMs: z
    .int()
    .min(0)
    .max(waitMsMax)
    .default(waitMsMax)
    .describe('Longest wait for the first URL, ms; the response is sent as soon as there is one.'),
  leaseMs: newLeaseMs,
});

export const leasedUrl = z.strictObject({
  lease: token,
  url: z.string().describe('URL to request now: its host’s delay has passed, and robots.txt allows it.'),
  host: z.string().describe('Host key: host name, and port if not the default.'),
  depth: count.describe('Links from a seed.'),
  hop: count.describe('Redirects that led to it.'),
  attempt: count.describe('Earlier attempts.'),
  etag: z.string().describe('ETag of the last visit, for If-None-Match. Empty: none.'),
  lastModified: z.string().describe('Last-Modified of the last visit, for If-Modified-Since. Empty: none.'),
  payload: z.string().describe('Payload added with the URL. Empty: none.'),
  userAgent: z.string().describe('User-Agent to send: robots.txt was evaluated for it.'),
  delayMs: count.describe('Delay between the end of this request and the next one to the host, ms.'),
  leaseMs: count.describe('Time left, ms: without a result or renewal by then, the URL is leased again.'),
  renewableMs: count.describe('Time after which the lease cannot be renewed, ms.'),
});

export const leaseAnswer = z.strictObject({
  leases: z.array(leasedUrl),
  idle: z
    .boolean()
    .nullable()
    .describe('true: nothing is left to fetch, unless URLs are added. null: unknown to this process.'),
});

export const addedUrl = z.strictObject({
  url: z.string().min(1).max(8_192).describe('Absolute, http or https.'),
  payload: payload.default(''),
  priority: z.int().min(0).max(7).optional().describe('Front queue, 0 first. Absent: chosen by the policy.'),
  force: z.boolean().default(false).describe('Fetch it even if it is known, over budget or in a trap.'),
  front: z.boolean().default(false).describe('Put it first in its host’s queue, as the target of a redirect.'),
  depth: count
    .max(rangeLimits.depthMax)
    .optional()
    .describe('Links from a seed. Absent: 0; in a result, one more than its URL.'),
  hop: count.max(100).default(0).describe('Redirects that led to it.'),
  source: z
    .string()
    .max(8_192)
    .optional()
    .describe('URL of the page with the link. Absent: none; in a result, its URL.'),
});

export const addCall = z.strictObject({ urls: z.array(addedUrl).min(1).max(urlsPerCallMax) });

export const refusedUrl = z.strictObject({ index: count, url: z.string(), why: z.string() });
const refused = z.array(refusedUrl).describe('Invalid URLs, by their index in the call.');

export const addAnswer = z.strictObject({
  accepted: count.describe('URLs stored durably. Known ones are dropped later.'),
  refused,
});

export const failures = [
  'dnsFailed',
  'connectionFailed',
  'tlsFailed',
  'timeout',
  'badResponse',
  'refused',
  'tooLarge',
  'robotsDenied',
  'returned',
] as const;

const resultFields = z.strictObject({
  lease: token,
  status: z.int().min(100).max(599).optional().describe('HTTP status. Absent: no complete response.'),
  failure: z
    .enum(failures)
    .optional()
    .describe(
      'Why there was no response. tooLarge: the body was not read. robotsDenied: the client checked robots.txt itself. returned: no request was made; the URL is leased again.',
    ),
  detail: z
    .string()
    .max(lendingLimits.detailCharsMax)
    .default('')
    .describe('Description of a failure; longer text is cut.'),
  headers: z
    .record(z.string().max(lendingLimits.headerNameCharsMax), z.string().max(lendingLimits.headerCharsMax))
    .default({})
    .describe(
      'Response headers; longer ones are dropped. Used: Retry-After, ETag, Last-Modified, Location, Content-Type, X-Robots-Tag and Content-Usage.',
    ),
  startedMsAgo: count.optional().describe('Start of the request, ms before this call. Absent: time of the lease.'),
  endedMsAgo: count.optional().describe('End of the request, ms before this call. Absent: now.'),
  bytes: count.max(rangeLimits.bytesMax).default(0).describe('Bytes of the body. 0: unknown.'),
  contentHash: z
    .string()
    .regex(/^[0-9a-f]{0,128}$/, 'it is not a hexadecimal number')
    .default('')
    .describe('Hash of the body, hexadecimal. Empty: unknown.'),
  title: z.string().max(lendingLimits.titleCharsMax).default('').describe('Longer text is cut.'),
  text: z.string().max(textCharsMax).default('').describe('Longer text is cut.'),
  body: z
    .base64()
    .optional()
    .describe('Base64, without content coding. It is parsed like a page of the built-in fetcher.'),
  final: z.boolean().default(false).describe('Treat the status as final: do not retry. Retry-After is still honoured.'),
  follow: z.boolean().default(false).describe('Publish the links found in body.'),
});

const urlsOfResult = z
  .array(addedUrl)
  .max(urlsPerCallMax)
  .default([])
  .describe('Links of the page, stored before its result. An invalid link does not affect the others.');

type SaysSomething = Pick<z.output<typeof resultFields>, 'status' | 'failure'>;
const saysSomething = ({ status, failure }: SaysSomething) => status !== undefined || failure !== undefined;
const saysNothing = { path: ['status'], message: 'status and failure are both missing; send one' };

/** Without its URLs, which are read one by one. */
export const ownResult = resultFields.refine(saysSomething, saysNothing);
const result = resultFields.extend({ urls: urlsOfResult }).refine(saysSomething, saysNothing);

export const resultsCall = z.strictObject({ results: z.array(result).min(1).max(resultsPerCallMax) });

/** Lists with items that are read one by one (read-items.ts). */
export const resultItems = z.strictObject({ results: z.array(z.unknown()).min(1).max(resultsPerCallMax) });
export const itemsOfAdd = z.strictObject({ urls: z.array(z.unknown()).min(1) });

export const settledState = z
  .enum(['ok', 'repeated', 'unknown', 'invalid'])
  .describe(
    'repeated: already reported; counted once. unknown: the lease expired, and the URL is leased again. invalid: `why` names the invalid field; the lease is still valid: send the result again.',
  );

export const resultsAnswer = z.strictObject({
  results: z.array(
    z.strictObject({
      lease: z.string().describe('Id from the call.'),
      state: settledState,
      refused,
      why: z.string().optional().describe('For invalid: the invalid field and the remedy.'),
    }),
  ),
});

export const renewCall = z.strictObject({
  leases: z.array(token).min(1).max(resultsPerCallMax),
  leaseMs: newLeaseMs,
});

export const renewAnswer = z.strictObject({
  leases: z.array(
    z.strictObject({ lease: token, leaseMs: count.describe('Time left, ms. 0: the lease has expired.') }),
  ),
});

export const statusAnswer = z.strictObject({
  asked: count.describe('URLs that clients are waiting for now.'),
  offered: count.describe('Hosts that may be contacted now, waiting for a client.'),
  out: count.describe('URLs leased to clients now.'),
  given: count.describe('URLs leased since the start.'),
  told: count.describe('Leased URLs with a result.'),
  lost: count.describe('Leased URLs without a report in time.'),
  idle: leaseAnswer.shape.idle,
});

export const problem = z.strictObject({
  error: z.string().describe('A code.'),
  message: z.string().describe('The error: what is wrong, where, and what to do.'),
});

export type AddedUrl = z.output<typeof addedUrl>;
export type RefusedUrl = z.output<typeof refusedUrl>;
export type ClientResult = z.output<typeof ownResult>;
