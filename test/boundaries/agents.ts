/** What agents may ask for. */
import type { mcpLimits } from '../../services/extras/fleet/agents/mcp-limits.ts';
import { toolInputs } from '../../services/extras/fleet/agents/tool-schemas.ts';
import type { scrapeLimits } from '../../services/extras/fleet/scrape/scrape-limits.ts';
import { scrapeCall } from '../../services/extras/fleet/scrape/scrape-schemas.ts';
import { type BoundaryTable, tuning, undriven, upTo } from './boundary.ts';

const url = 'https://a.test/';
const takes = (tool: keyof typeof toolInputs, given: object) => toolInputs[tool].safeParse(given).success;

export const mcpBoundaries: BoundaryTable<typeof mcpLimits> = {
  pagesMax: tuning('a default, which an operator may set otherwise'),
  runningMax: undriven('sixteen crawls at once: AgentDesk refuses the one beyond before it is made'),
  keptMax: undriven('two hundred crawls: AgentDesk deletes the oldest before it makes another'),
  readCharsMax: upTo((chars) => takes('read_page', { url, chars })),
  readChars: tuning('a default, which a call may give otherwise'),
  hitsMax: upTo((limit) => takes('search_pages', { words: 'a', limit })),
  hits: tuning('a default, which a call may give otherwise'),
  urlsMax: upTo((limit) => takes('map_site', { crawl: 'a', limit })),
  urls: tuning('a default, which a call may give otherwise'),
  wordsCharsMax: upTo((length) => takes('search_pages', { words: 'a'.repeat(length) })),
};

const scrapes = (given: object) => scrapeCall.safeParse({ url, ...given }).success;

export const scrapeBoundaries: BoundaryTable<typeof scrapeLimits> = {
  waitMsMax: upTo((ms) => scrapes({ waitSeconds: ms / 1000 })),
  waitMs: tuning('a default, which a call may give otherwise'),
  lookMs: tuning('how soon an answer comes after a crawl has ended'),
  ageSMax: tuning('a default, which a call may give otherwise'),
  keptMax: undriven('a hundred pages: the oldest is deleted before another is fetched'),
  urlCharsMax: upTo((length) => takes('read_page', { url: 'a'.repeat(length) })),
};
