/**
 * The messages of the lease API. What is checked here is what its OpenAPI document says, since that is made of these
 * schemas (openapi.ts).
 */
import { z } from 'zod';
import { rangeLimits } from '../../schemas/range-limits.ts';
import { lendingLimits } from './lending-limits.ts';

const { leasesPerCallMax, waitMsMax, leaseMsMin, leaseMs, resultsPerCallMax, urlsPerCallMax, textCharsMax } =
  lendingLimits;
const dayMs = 86_400_000;
const count = z.int().min(0);
const token = z.string().min(1).max(64).describe('The lease, as it was given out.');
const newLeaseMs = z
  .int()
  .min(leaseMsMin)
  .max(dayMs)
  .default(leaseMs)
  .describe('Without a result or a renewal for so long, ms, the client counts as dead and its URLs are leased again.');

/** Beyond it a text is refused, and told where it is. */
const payload = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= lendingLimits.payloadBytesMax, {
    message: `it has more than ${lendingLimits.payloadBytesMax} bytes`,
  })
  .describe('Comes back with each lease of the URL, as it is: a serialised request, for example.');

export const leaseCall = z.strictObject({
  count: z.int().min(1).max(leasesPerCallMax).default(16).describe('URLs wanted, at most.'),
  waitMs: z
    .int()
    .min(0)
    .max(waitMsMax)
    .default(waitMsMax)
    .describe('How long to wait for the first URL, ms; the answer comes as soon as there is one.'),
  leaseMs: newLeaseMs,
});

export const leasedUrl = z.strictObject({
  lease: token,
  url: z.string().describe('To be requested now: the delay of its host has passed, and its robots.txt allows it.'),
  host: z.string().describe('Host key: name, and port where it is not the usual one.'),
  depth: count.describe('Links from a seed.'),
  hop: count.describe('Redirects on the way to it.'),
  attempt: count.describe('Attempts before this one.'),
  etag: z.string().describe('ETag of the last visit, for If-None-Match. Empty: none.'),
  lastModified: z.string().describe('Last-Modified of the last visit, for If-Modified-Since. Empty: none.'),
  payload: z.string().describe('What was given along with the URL. Empty: nothing.'),
  userAgent: z.string().describe('For whom robots.txt was asked: the User-Agent to send.'),
  delayMs: count.describe('Kept between the end of this request and the next one to the host, ms.'),
  leaseMs: count.describe('Time left, ms: what is not told or renewed by then is leased again.'),
  renewableMs: count.describe('Time after which it can be renewed no more, ms.'),
});

export const leaseAnswer = z.strictObject({
  leases: z.array(leasedUrl),
  idle: z
    .boolean()
    .nullable()
    .describe('True: the crawl has nothing left, unless somebody adds URLs. null: this process does not know.'),
});

export const addedUrl = z.strictObject({
  url: z.string().min(1).max(8_192).describe('Absolute, http or https.'),
  payload: payload.default(''),
  priority: z.int().min(0).max(7).optional().describe('Front queue, 0 first. Absent: as the policy says.'),
  force: z.boolean().default(false).describe('Fetch it even if it is known, past budgets and traps.'),
  front: z.boolean().default(false).describe('Before the rest of its host, as the target of a redirect.'),
  depth: count
    .max(rangeLimits.depthMax)
    .optional()
    .describe('Links from a seed. Absent: 0; in a result, one more than its URL.'),
  hop: count.max(100).default(0).describe('Redirects on the way to it.'),
  source: z.string().max(8_192).optional().describe('URL that has the link. Absent: none; in a result, its URL.'),
});

export const addCall = z.strictObject({ urls: z.array(addedUrl).min(1).max(urlsPerCallMax) });

export const refusedUrl = z.strictObject({ index: count, url: z.string(), why: z.string() });
const refused = z.array(refusedUrl).describe('URLs that no policy can take, by their place in the call.');

export const addAnswer = z.strictObject({
  accepted: count.describe('URLs that are durable now. Known ones are left out later.'),
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
  status: z.int().min(100).max(599).optional().describe('HTTP status. Absent: there was no whole response.'),
  failure: z
    .enum(failures)
    .optional()
    .describe(
      'Why there was none. tooLarge: the body was not read. robotsDenied: the client asked robots.txt itself. returned: no request was made, lease it again.',
    ),
  detail: z
    .string()
    .max(lendingLimits.detailCharsMax)
    .default('')
    .describe('Plain words on a failure; longer ones are cut.'),
  headers: z
    .record(z.string().max(lendingLimits.headerNameCharsMax), z.string().max(lendingLimits.headerCharsMax))
    .default({})
    .describe(
      'Of the response; longer ones are left out. Retry-After, ETag, Last-Modified, Location, Content-Type, X-Robots-Tag and Content-Usage are looked at.',
    ),
  startedMsAgo: count.optional().describe('When the request started, ms before this call. Absent: when it was leased.'),
  endedMsAgo: count.optional().describe('When it ended, ms before this call. Absent: now.'),
  bytes: count.max(rangeLimits.bytesMax).default(0).describe('Bytes of the body. 0: not told.'),
  contentHash: z
    .string()
    .regex(/^[0-9a-f]{0,128}$/, 'it is no hexadecimal number')
    .default('')
    .describe('Of the body, hexadecimal. Empty: not told.'),
  title: z.string().max(lendingLimits.titleCharsMax).default('').describe('A longer one is cut.'),
  text: z.string().max(textCharsMax).default('').describe('A longer one is cut.'),
  body: z
    .base64()
    .optional()
    .describe('In base64, without content coding: it is parsed here, as a page of our own fetchers.'),
  final: z
    .boolean()
    .default(false)
    .describe('Take the status as it is: it is not tried again, whatever it is. Retry-After is kept all the same.'),
  follow: z.boolean().default(false).describe('Publish the links that are found in body.'),
});

const urlsOfResult = z
  .array(addedUrl)
  .max(urlsPerCallMax)
  .default([])
  .describe('What the page leads to: durable before its result. A wrong one is refused alone.');

type SaysSomething = Pick<z.output<typeof resultFields>, 'status' | 'failure'>;
const saysSomething = ({ status, failure }: SaysSomething) => status !== undefined || failure !== undefined;
const saysNothing = { path: ['status'], message: 'neither status nor failure is there; give one' };

/** Without its URLs, which are read one by one. */
export const ownResult = resultFields.refine(saysSomething, saysNothing);
const result = resultFields.extend({ urls: urlsOfResult }).refine(saysSomething, saysNothing);

export const resultsCall = z.strictObject({ results: z.array(result).min(1).max(resultsPerCallMax) });

/** Lists whose items are read one by one (read-items.ts). */
export const itemsOfTell = z.strictObject({ results: z.array(z.unknown()).min(1).max(resultsPerCallMax) });
export const itemsOfAdd = z.strictObject({ urls: z.array(z.unknown()).min(1) });

export const settledState = z
  .enum(['ok', 'repeated', 'unknown', 'invalid'])
  .describe(
    'repeated: it was told before, and counts once. unknown: its time was over, and it is leased again. invalid: a field is wrong, as `why` says, and the lease is still out: send it again.',
  );

export const resultsAnswer = z.strictObject({
  results: z.array(
    z.strictObject({
      lease: z.string().describe('As the call names it.'),
      state: settledState,
      refused,
      why: z.string().optional().describe('Of an invalid one: the field that is wrong, and what to do.'),
    }),
  ),
});

export const renewCall = z.strictObject({
  leases: z.array(token).min(1).max(resultsPerCallMax),
  leaseMs: newLeaseMs,
});

export const renewAnswer = z.strictObject({
  leases: z.array(
    z.strictObject({ lease: token, leaseMs: count.describe('Time left, ms. 0: it is not the client’s any more.') }),
  ),
});

export const statusAnswer = z.strictObject({
  asked: count.describe('URLs that clients wait for now.'),
  offered: count.describe('Hosts that may be contacted, and wait for a client.'),
  out: count.describe('URLs that clients have.'),
  given: count.describe('URLs leased since the start.'),
  told: count.describe('Those of them with a result.'),
  lost: count.describe('Those whose client was not heard of in time.'),
  idle: leaseAnswer.shape.idle,
});

export const problem = z.strictObject({
  error: z.string().describe('A code.'),
  message: z.string().describe('What is wrong, where, and what to do.'),
});

export type AddedUrl = z.output<typeof addedUrl>;
export type RefusedUrl = z.output<typeof refusedUrl>;
export type ToldResult = z.output<typeof ownResult>;
