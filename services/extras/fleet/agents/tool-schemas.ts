/** Arguments of the tools. Calls are checked by the same schemas that agents see: tools/list is generated from them. */
import { z } from 'zod';
import { crawlNamePattern } from '../fleet-schemas.ts';
import { scrapeLimits } from '../scrape/scrape-limits.ts';
import { mcpLimits } from './mcp-limits.ts';

const { readChars, readCharsMax, hits, hitsMax, urls, urlsMax } = mcpLimits;
const { waitMs, waitMsMax, ageSMax, urlCharsMax } = scrapeLimits;

const url = z.string().min(1).max(urlCharsMax).describe('http or https; without a scheme, https.');
const crawl = z
  .string()
  .regex(crawlNamePattern)
  .describe('Name of a crawl, as returned by crawl_site and crawl_status.');
const waitSeconds = z
  .number()
  .min(0)
  .max(waitMsMax / 1000)
  .default(waitMs / 1000)
  .describe('Seconds to wait for the end before answering; the crawl continues.');
const from = z.number().int().min(0).default(0);
const whole = (most: number) => z.number().int().min(1).max(most);

export const toolInputs = {
  crawl_site: z.strictObject({
    url,
    pages: z.number().int().min(1).default(100).describe('Most pages.'),
    depth: z.number().int().min(0).max(1_000).optional().describe('Most links from the URL; absent: no limit.'),
    scope: z.enum(['host', 'domain']).default('domain').describe('Only its host, or its registrable domain.'),
    waitSeconds,
  }),
  crawl_status: z.strictObject({ crawl: crawl.optional(), waitSeconds: waitSeconds.default(0) }),
  read_page: z.strictObject({
    url,
    maxAgeSeconds: z.number().min(0).default(ageSMax).describe('An older copy is refetched.'),
    from: from.describe('Characters of the page to skip.'),
    chars: whole(readCharsMax).default(readChars).describe('Most characters of the page.'),
    waitSeconds,
  }),
  search_pages: z.strictObject({
    words: z.string().min(1).max(mcpLimits.wordsCharsMax),
    crawl: crawl.optional(),
    limit: whole(hitsMax).default(hits),
  }),
  map_site: z.strictObject({ crawl, from, limit: whole(urlsMax).default(urls) }),
  explain_url: z.strictObject({ crawl, url }),
} as const;
