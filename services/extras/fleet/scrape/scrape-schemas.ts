/** The messages of `POST /v1/scrape`. */
import { z } from 'zod';
import { uses } from '../../../../topology/usage/statement.ts';
import { scrapeLimits } from './scrape-limits.ts';

const { urlCharsMax, ageSMax, waitMs, waitMsMax } = scrapeLimits;

export const scrapeCall = z.strictObject({
  url: z.string().min(1).max(urlCharsMax).describe('http or https; without a scheme, https.'),
  maxAgeSeconds: z.number().min(0).default(ageSMax).describe('An older copy is refetched.'),
  waitSeconds: z
    .number()
    .min(0)
    .max(waitMsMax / 1_000)
    .default(waitMs / 1_000)
    .describe('Seconds to wait for the page; the delay of its host still applies.'),
  uses: z
    .array(z.enum(uses))
    .default([])
    .describe('Intended uses; a page that its site bars from one of them is not returned.'),
});

export const scrapeAnswer = z.strictObject({
  crawl: z.string().describe('The crawl that has the page.'),
  isFetched: z.boolean().describe('false: an older copy.'),
  page: z
    .record(z.string(), z.unknown())
    .describe('Its record (docs/page-record.md), with `markdown` if fetched by this call.'),
});

export const scrapeWait = z.strictObject({
  crawl: z.string(),
  message: z.string().describe('The outcome so far, and when to send the same call again.'),
  nextAtMs: z
    .int()
    .min(0)
    .nullable()
    .describe('Earliest time of the next request to the URL, ms since the Unix epoch. null: it is under way.'),
});
