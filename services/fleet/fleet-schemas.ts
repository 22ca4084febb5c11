/**
 * The messages of a fleet's API. What is checked here is what its OpenAPI document says, since that is made of these
 * schemas (fleet-openapi.ts).
 */
import { z } from 'zod';
import { contents } from './fleet-contents.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';
import { isSecret } from './signature.ts';

const { weightMax, seedsMax } = fleetServiceLimits;
const count = z.int().min(0);

export const crawlNamePattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export const webhookCall = z.strictObject({
  url: z.string().min(1).max(2_048).describe('http or https, at a public address.'),
  secret: z
    .string()
    .refine(isSecret, 'give whsec_ and 24 to 64 bytes in Base64')
    .describe(
      'Signs what is posted, by Standard Webhooks: whsec_ and 24 to 64 bytes in Base64. It is answered to nobody.',
    ),
  content: z
    .enum(contents)
    .default('page')
    .describe('What is told of a page: its record, or its URL, status, title and hash.'),
});

export const createCall = z.strictObject({
  seeds: z.array(z.string().min(1).max(8_192)).min(1).max(seedsMax).describe('URLs to start from, http or https.'),
  name: z
    .string()
    .regex(crawlNamePattern, 'use small letters, digits, _ and -, at most 63, and begin with a letter or digit')
    .optional()
    .describe('Of the crawl, and of its folder. Absent: made of the host of the first seed.'),
  owner: z
    .string()
    .max(200)
    .default('')
    .describe('Whose crawl it is, in words of yours. Where owners have keys, it is the owner who calls.'),
  weight: z
    .number()
    .positive()
    .max(weightMax)
    .default(1)
    .describe('Its share of what the fleet fetches, against the weights of the others.'),
  policy: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'Fields of a policy (docs/policy.md) in the place of the defaults: maxDepth, pageQuota, delayMs, scope, filters, recrawl, … Lists in files are not taken.',
    ),
  idempotencyKey: z
    .string()
    .max(200)
    .default('')
    .describe('The same call with the same key makes one crawl, however often it is sent. Empty: each makes one.'),
  output: z
    .strictObject({
      markdown: z
        .boolean()
        .default(false)
        .describe('Its pages have their main text, also as Markdown, and their language.'),
      // Without a default: a call of before, sent again with its idempotencyKey, is the same call.
      warc: z
        .boolean()
        .optional()
        .describe('Raw responses of its pages are kept, for archive.warc.gz; bodies up to 2 MiB.'),
    })
    .default({ markdown: false })
    .describe('What is made of its pages, beside links and text.'),
  webhook: webhookCall
    .optional()
    .describe('Where its events are posted: pages, and what becomes of the crawl, in their order.'),
});

export const states = ['starting', 'running', 'pausing', 'paused', 'held', 'ending', 'ended', 'failed'] as const;

export const crawlAnswer = z.strictObject({
  name: z.string(),
  owner: z.string(),
  weight: z.number(),
  state: z
    .enum(states)
    .describe(
      'failed: it stopped by a failure, and goes on when it is resumed or the fleet starts again. held: `failure` says why. A quota of its owner is spent, and it goes on by itself once there is room; or it stopped the process of the fleet, and goes on once the operator resumes it.',
    ),
  end: z
    .string()
    .nullable()
    .describe('Why it has ended: done (nothing is left to fetch), quota, or stopped. null: it has not.'),
  failure: z.string().nullable().describe('What failed, and what to do. null: nothing did.'),
  createdAtMs: count.describe('ms since the Unix epoch.'),
  seeds: count.describe('Seeds that were given.'),
  counts: z.strictObject({
    pages: count,
    queued: count.describe('URLs that wait, for the first time or for another attempt.'),
    leased: count.describe('URLs that are being fetched.'),
    failed: count.describe('URLs that gave no page, for any reason.'),
    hosts: count,
    bytes: count.describe('Of bodies that were fetched.'),
  }),
  pagesPerSecond: z.number().min(0).describe('Over the last few seconds.'),
  webhook: z
    .strictObject({
      url: z.string(),
      delivered: z.string().describe('The id of the last event that was taken; 0-0: none was.'),
      failures: count.describe('Attempts in a row that failed.'),
      failure: z.string().nullable().describe('What failed last. null: nothing did.'),
      nextAtMs: count
        .nullable()
        .describe('When the next attempt is, ms since the Unix epoch. null: as soon as there is something.'),
    })
    .nullable()
    .describe('null: it has none.'),
  data: z.string().optional().describe('Its data folder, for the commands that take --data. Owners are not told.'),
});

export const listAnswer = z.strictObject({
  crawls: z.array(crawlAnswer),
  requestsInFlight: count.describe('Of all crawls together.'),
});

const used = z.strictObject({ used: count, most: count.nullable().describe('null: any.') });

export const ownersAnswer = z.strictObject({
  owners: z.array(
    z.strictObject({
      name: z.string(),
      crawls: z.strictObject({ running: count, runningMax: count, kept: count, keptMax: count }),
      pagesToday: used.describe('Today: of UTC.'),
      bytesToday: used,
      hosts: used.describe('Known to its crawls, all together.'),
    }),
  ),
});

export const problem = z.strictObject({
  error: z.string().describe('A code.'),
  message: z.string().describe('What is wrong, where, and what to do.'),
});

export type CreateCall = z.output<typeof createCall>;
export type CrawlAnswer = z.output<typeof crawlAnswer> & { readonly data: string };
export type CrawlState = (typeof states)[number];
