/** The messages of `POST /v1/scrape`. */
import { z } from 'zod';
import { uses } from '../../../topology/usage/statement.ts';
import { scrapeLimits } from './scrape-limits.ts';

const { urlCharsMax, ageSMax, waitMs, waitMsMax } = scrapeLimits;

export const scrapeCall = z.strictObject({
  url: z.string().min(1).max(urlCharsMax).describe('http or https; without a scheme it is https.'),
  maxAgeSeconds: z.number().min(0).default(ageSMax).describe('An older copy is fetched again.'),
  waitSeconds: z
    .number()
    .min(0)
    .max(waitMsMax / 1_000)
    .default(waitMs / 1_000)
    .describe('Seconds to wait for the page: a host has its turn when it has.'),
  uses: z.array(z.enum(uses)).default([]).describe('What the page is wanted for: one whose site bars it is not told.'),
});

export const scrapeAnswer = z.strictObject({
  crawl: z.string().describe('The crawl that has the page.'),
  isFetched: z.boolean().describe('false: it is a copy from before.'),
  page: z
    .record(z.string(), z.unknown())
    .describe('Its record (docs/page-record.md), with `markdown` where it was fetched for this.'),
});

export const scrapeWait = z.strictObject({
  crawl: z.string(),
  message: z.string().describe('How it stands: send the same call again.'),
});
