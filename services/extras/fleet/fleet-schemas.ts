/**
 * The messages of a fleet's API. Calls are checked with these schemas, and the OpenAPI document is made from them
 * (fleet-openapi.ts), so that both agree.
 */
import { z } from 'zod';
import { countTable } from '../../../topology/frontier/ask/crawl-counts.ts';
import { countNames } from './crawl-file.ts';
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
    .refine(isSecret, 'write whsec_ followed by 24 to 64 bytes in Base64')
    .describe(
      'Secret that signs the posts (Standard Webhooks): whsec_ and 24 to 64 bytes in Base64. No response contains it.',
    ),
  content: z
    .enum(contents)
    .default('page')
    .describe('Content of page events: the whole record, or URL, status, title and hash.'),
});

export const createCall = z.strictObject({
  seeds: z.array(z.string().min(1).max(8_192)).min(1).max(seedsMax).describe('URLs to start from, http or https.'),
  name: z
    .string()
    .regex(crawlNamePattern, 'use at most 63 lower-case letters, digits, _ and -; start with a letter or digit')
    .optional()
    .describe('Name of the crawl and its folder. Absent: made from the host of the first seed.'),
  owner: z
    .string()
    .max(200)
    .default('')
    .describe('Owner of the crawl, any text. If owners have keys, always the caller.'),
  weight: z
    .number()
    .positive()
    .max(weightMax)
    .default(1)
    .describe('Its share of its owner’s requests, relative to the weights of the owner’s other crawls.'),
  policy: z.record(z.string(), z.unknown()).default({}).meta({
    $ref: '#/components/schemas/Policy',
    description:
      'Policy fields (docs/policy.md) that replace defaults: maxDepth, pageQuota, delayMs, scope, filters, recrawl, … Lists in files are not supported.',
  }),
  idempotencyKey: z
    .string()
    .max(200)
    .default('')
    .describe('Repeated calls with the same key create one crawl. Empty: each call creates one.'),
  output: z
    .strictObject({
      markdown: z.boolean().default(false).describe('Adds main text, Markdown and language to its pages.'),
      // No default: so a call of an earlier release that is sent again with its idempotencyKey is the same call.
      warc: z.boolean().optional().describe('Keeps raw responses for archive.warc.gz; bodies up to 2 MiB.'),
    })
    .default({ markdown: false })
    .describe('Outputs in addition to links and text.'),
  webhook: webhookCall.optional().describe('URL that receives its events by POST: pages and state changes, in order.'),
});

export const states = ['starting', 'running', 'pausing', 'paused', 'held', 'ending', 'ended', 'failed'] as const;

export const crawlAnswer = z.strictObject({
  name: z.string(),
  owner: z.string(),
  weight: z.number(),
  state: z
    .enum(states)
    .describe(
      'failed: stopped by a failure; continues when it is resumed or the fleet restarts. held: `failure` gives the reason. A quota of its owner is used up, and it continues automatically when there is room; or it stopped the process of the fleet, and continues when the operator resumes it.',
    ),
  end: z
    .string()
    .nullable()
    .describe('Why it ended: done (nothing left to fetch), quota, or stopped. null: not ended.'),
  failure: z.string().nullable().describe('What failed, and what to do. null: no failure.'),
  noPage: z
    .string()
    .nullable()
    .describe(
      'Why the crawl ended without any page: its first seeds, each with its outcome. null: it has pages, or has not ended.',
    ),
  createdAtMs: count.describe('ms since the Unix epoch.'),
  seeds: count.describe('Number of seeds.'),
  counts: z.strictObject(
    Object.fromEntries(countNames.map((name) => [name, count.describe(countTable[name].means)])) as Record<
      (typeof countNames)[number],
      typeof count
    >,
  ),
  pagesPerSecond: z.number().min(0).describe('Average of the last few seconds.'),
  webhook: z
    .strictObject({
      url: z.string(),
      delivered: z.string().describe('The id of the last delivered event; 0-0: none.'),
      failures: count.describe('Failed attempts in a row.'),
      failure: z.string().nullable().describe('Last failure. null: none.'),
      nextAtMs: count
        .nullable()
        .describe('Time of the next attempt, ms since the Unix epoch. null: with the next event.'),
    })
    .nullable()
    .describe('null: no webhook.'),
  data: z.string().optional().describe('Its data folder, for commands with --data. Only the operator sees it.'),
});

export const listAnswer = z.strictObject({
  crawls: z.array(crawlAnswer),
  requestsInFlight: count.describe('Sum over all crawls.'),
});

const used = z.strictObject({ used: count, most: count.nullable().describe('null: no limit.') });

export const ownersAnswer = z.strictObject({
  owners: z.array(
    z.strictObject({
      name: z.string(),
      crawls: z.strictObject({ running: count, runningMax: count, kept: count, keptMax: count }),
      pagesToday: used.describe('Since midnight UTC.'),
      bytesToday: used,
      hosts: used.describe('Sum over its crawls.'),
    }),
  ),
});

export const problem = z.strictObject({
  error: z.string().describe('A code.'),
  message: z.string().describe('The error: what is wrong, where, and what to do.'),
});

export type CreateCall = z.output<typeof createCall>;
/** A crawl, as `GET /v1/crawls/NAME` answers. */
export type CrawlAnswer = z.output<typeof crawlAnswer> & { readonly data: string };
export type CrawlState = (typeof states)[number];
