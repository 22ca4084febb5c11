/** Arguments and results of the tools. Both are checked by the schemas that agents see: tools/list is generated from them. */
import { z } from 'zod';
import { crawlAnswer, crawlNamePattern } from '../fleet-schemas.ts';
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

/** An unknown argument is refused with the names of all arguments. */
function input<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown argument ${(issue['keys'] as readonly string[]).join(', ')}; there are ${names}`
        : undefined,
  });
}

export const toolInputs = {
  crawl_site: input({
    url,
    pages: z.number().int().min(1).default(100).describe('Most pages.'),
    depth: z.number().int().min(0).max(1_000).optional().describe('Most links from the URL; absent: no limit.'),
    scope: z.enum(['host', 'domain']).default('domain').describe('Only its host, or its registrable domain.'),
    waitSeconds,
  }),
  crawl_status: input({ crawl: crawl.optional(), waitSeconds: waitSeconds.default(0) }),
  read_page: input({
    url,
    maxAgeSeconds: z.number().min(0).default(ageSMax).describe('An older copy is refetched.'),
    from: from.describe('Characters of the page to skip.'),
    chars: whole(readCharsMax).default(readChars).describe('Most characters of the page.'),
    waitSeconds,
  }),
  search_pages: input({
    words: z.string().min(1).max(mcpLimits.wordsCharsMax),
    crawl: crawl.optional(),
    limit: whole(hitsMax).default(hits),
  }),
  map_site: input({ crawl, from, limit: whole(urlsMax).default(urls) }),
  explain_url: input({ crawl, url }),
} as const;

const whole0 = z.number().int().min(0);
const nextFrom = whole0.nullable().describe('The next `from`. null: nothing follows.');

export const toolOutputs = {
  crawl_site: crawlAnswer,
  crawl_status: z.strictObject({ crawls: z.array(crawlAnswer) }),
  read_page: z.strictObject({
    url: z.string(),
    title: z.string(),
    description: z.string(),
    language: z.string().describe('Empty: unknown.'),
    status: whole0.describe('Status of the HTTP response.'),
    canonical: z.string().describe('URL that the page names as canonical. Empty: none.'),
    fetchedAt: z.iso.datetime(),
    crawl: z.string().describe('The crawl that has the page.'),
    from: whole0,
    characters: whole0.describe('Characters of the whole page.'),
    markdown: z.string().describe('The part from `from` on.'),
    truncated: z.boolean().describe('The body was cut at the size limit.'),
    next: nextFrom,
    usage: z.array(z.strictObject({ use: z.string(), preference: z.string(), source: z.string(), said: z.string() })),
  }),
  search_pages: z.strictObject({
    hits: z.array(
      z.strictObject({
        url: z.string(),
        title: z.string(),
        snippet: z.string().describe('Text around the words; the words are in brackets.'),
        score: z.number().describe('Higher is better.'),
      }),
    ),
  }),
  map_site: z.strictObject({
    urls: z.array(z.strictObject({ url: z.string(), fetchedAt: z.iso.datetime() })),
    all: whole0.describe('Number of pages.'),
    next: nextFrom,
  }),
  explain_url: z.strictObject({ lines: z.array(z.strictObject({ name: z.string(), value: z.string() })) }),
} as const;
