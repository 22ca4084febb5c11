/** A page that was read, as a record of `pages`. */
import type { Page, PageUsage, Task } from '../../../schemas/types.ts';
import { isForMachines } from '../../../topology/content/for-machines.ts';
import { metadataJson } from '../../../topology/parse/rich/metadata.ts';
import { richLimits } from '../../../topology/parse/rich/rich-limits.ts';
import type { Answer } from './answer.ts';
import { pageOutlinks } from './page-outlinks.ts';
import type { PageReader } from './page-reader.ts';
import type { WholePage } from './parse-page.ts';

export interface PageFacts {
  /** SHA-256 of the body, hexadecimal. */
  readonly contentHash: string;
  /** Number of links. */
  readonly links: number;
  readonly usage: PageUsage[];
  /** Its entries are links; its markup is not read as a page. */
  readonly isFeed: boolean;
}

/** Only a browser makes one. */
const noScreenshot = Buffer.alloc(0);

export function pageRecord(
  reader: PageReader,
  task: Task,
  { item, response, head }: Answer,
  { parsed, rich }: WholePage,
  { contentHash, links, usage, isFeed }: PageFacts,
): Page {
  return {
    // A redirect may have led to another spelling of it.
    url: item.normal || (reader.links.normalize(item.url) ?? item.url),
    hostKey: task.hostKey,
    status: response.status,
    fetchedAtMs: response.endMs,
    depth: item.depth,
    contentType: head.mediaType,
    charset: parsed.charset,
    title: parsed.title,
    description: parsed.description,
    text: isForMachines(head.mediaType) || isFeed ? '' : parsed.text,
    canonical: parsed.canonical,
    contentHash,
    etag: head.etag,
    lastModified: head.lastModified,
    bytes: response.body.length,
    truncated: response.truncated || !parsed.complete,
    noindex: parsed.robots.noindex,
    nofollow: parsed.robots.nofollow,
    links,
    linksDropped: parsed.linksDropped,
    declaredLanguage: parsed.declaredLanguage,
    mainText: rich?.mainText ?? '',
    markdown: rich?.markdown ?? '',
    language: rich?.language ?? '',
    metadata: rich === null ? '' : metadataJson(rich.metadata),
    fields: rich === null ? [] : [...rich.fields],
    nofollowed: pageOutlinks(parsed.nofollowed, reader.links.normalize, richLimits.nofollowedCharsMax),
    outlinks: reader.outlinks ? pageOutlinks(parsed.links, reader.links.normalize) : [],
    rendered: false,
    tags: item.tags,
    usage,
    screenshot: noScreenshot,
  };
}
