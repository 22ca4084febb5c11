/**
 * The messages of a fleet's API. What is checked here is what its OpenAPI document says, since that is made of these
 * schemas (fleet-openapi.ts).
 */
import { z } from 'zod';
import { fleetServiceLimits } from './fleet-service-limits.ts';

const { weightMax, seedsMax, pagesMax } = fleetServiceLimits;
const count = z.int().min(0);

export const crawlNamePattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export const createCall = z.strictObject({
  seeds: z.array(z.string().min(1).max(8_192)).min(1).max(seedsMax).describe('URLs to start from, http or https.'),
  name: z
    .string()
    .regex(crawlNamePattern, 'use small letters, digits, _ and -, at most 63, and begin with a letter or digit')
    .optional()
    .describe('Of the crawl, and of its folder. Absent: made of the host of the first seed.'),
  owner: z.string().max(200).default('').describe('Whose crawl it is, in words of yours.'),
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
});

export const pagesQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'give the X-Cursor of the answer before')
    .default('0')
    .describe('Where to go on: X-Cursor of the answer before.'),
  limit: z.coerce.number().int().min(1).max(pagesMax).default(100).describe('Pages at most.'),
});

export const states = ['starting', 'running', 'pausing', 'paused', 'ending', 'ended', 'failed'] as const;

export const crawlAnswer = z.strictObject({
  name: z.string(),
  owner: z.string(),
  weight: z.number(),
  state: z
    .enum(states)
    .describe('failed: it stopped by a failure, and goes on when it is resumed or the fleet starts again.'),
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
  }),
  pagesPerSecond: z.number().min(0).describe('Over the last few seconds.'),
  data: z.string().describe('Its data folder, for the commands that take --data.'),
});

export const listAnswer = z.strictObject({
  crawls: z.array(crawlAnswer),
  requestsInFlight: count.describe('Of all crawls together.'),
});

export const problem = z.strictObject({
  error: z.string().describe('A code.'),
  message: z.string().describe('What is wrong, where, and what to do.'),
});

export type CreateCall = z.output<typeof createCall>;
export type CrawlAnswer = z.output<typeof crawlAnswer>;
export type CrawlState = (typeof states)[number];
