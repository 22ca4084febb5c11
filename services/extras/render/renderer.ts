/**
 * The renderer: a consumer of `render` that opens each page in a browser and publishes the result of its scripts, as
 * a separate page in `pages` and its links in `discovered`.
 *
 * Its output is acked before its position moves on: a crash renders some pages twice and loses none. If a page cannot
 * be rendered, its fetched record stays, and it is counted. If a page held the browser until it was killed, or three
 * pages of a site in a row did not settle in time, none of the site's pages is rendered for ten times as long, so
 * that it does not take other sites' time.
 */
import type { LinkGroup, Page, Render } from '../../../schemas/types.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { barredFrom } from '../../../topology/usage/statement.ts';
import type { Browser, Loaded, NoScreenshot } from './browser.ts';
import { renderLimits } from './render-limits.ts';

export interface RenderedPage {
  readonly page: Page | null;
  readonly groups: readonly LinkGroup[];
}

export interface RendererOptions {
  readonly browser: Pick<Browser, 'render'>;
  /** Fetches a resource for a page, politely. */
  readonly load: (url: string, render: Render) => Promise<Loaded | null>;
  /** Makes the record and links of a page, as the fetcher would. */
  readonly read: (render: Render, html: string) => Promise<RenderedPage>;
  /** Resolves once it is acked. False: without its screenshot, with which the record is too large for its topic. */
  readonly publish: (made: RenderedPage) => Promise<boolean>;
  readonly nowMs: () => number;
  readonly say: (text: string) => void;
}

export interface Renderer {
  handle(batch: readonly { readonly value: Render }[]): Promise<void>;
  stats(): { readonly rendered: number; readonly failed: number; readonly passedOver: number };
  /** Number of rendered pages without a wanted screenshot, by reason. */
  noScreenshots(): Readonly<Record<WithoutScreenshot, number>>;
}

/** `record`: the record of the page is too large for its topic with the screenshot. */
type WithoutScreenshot = NoScreenshot | 'record';

const noScreenshotTexts: Readonly<Record<WithoutScreenshot, string>> = {
  late: 'it was not drawn in time',
  large: `it has more than ${renderLimits.screenshotBytesMax >> 10} KiB; try fewer pixels`,
  record: 'the record of the page is too large for its topic with it; try fewer pixels, or raise max.message.bytes',
  failed: 'the browser could not draw it',
};

const noScreenshot = Buffer.alloc(0);

/** A site rests this many times as long as its failed page took. */
const restFactor = 10;
/**
 * Pages of a site in a row that may fail to settle: the first ones may be slow, because their resources come at the
 * rate of their host.
 */
const unsettledMax = 3;
/** Sites with a count of such pages. */
const sitesMax = 10_000;

export function createRenderer({ browser, load, read, publish, nowMs, say }: RendererOptions): Renderer {
  const counts = { rendered: 0, failed: 0, passedOver: 0 };
  const noScreenshots = { late: 0, large: 0, record: 0, failed: 0 };
  const noteMissing = (url: string, why: WithoutScreenshot) => {
    noScreenshots[why] += 1;
    if (noScreenshots[why] === 1) say(`render: no screenshot of ${url}: ${noScreenshotTexts[why]}; more are counted`);
  };
  /** Resting sites, and until when. */
  const resting = new Map<string, number>();
  /** Consecutive pages that did not settle, by site. */
  const unsettled = new Map<string, number>();
  const judge = (site: string, tookMs: number, settled: boolean | undefined) => {
    const times = settled === true ? 0 : settled === undefined ? unsettledMax : (unsettled.get(site) ?? 0) + 1;
    unsettled.delete(site);
    if (times > 0) unsettled.set(site, times);
    if (unsettled.size > sitesMax) unsettled.delete(unsettled.keys().next().value!);
    if (times >= unsettledMax) rest(site, tookMs);
  };
  const rest = (site: string, tookMs: number) => {
    for (const [other, untilMs] of resting) if (untilMs <= nowMs()) resting.delete(other);
    resting.set(site, nowMs() + restFactor * tookMs);
  };
  return {
    async handle(batch) {
      for (const { value: render } of batch) {
        const { url, status, headers } = render;
        const site = partitionKeyOf(render.hostKey, 'domain');
        const startMs = nowMs();
        if ((resting.get(site) ?? 0) > startMs) {
          counts.passedOver += 1;
          continue;
        }
        const page = { url, status, headers, body: Buffer.from(render.body) };
        const rendered = await browser.render(page, (wanted) => load(wanted, render));
        judge(site, nowMs() - startMs, rendered?.settled);
        if (rendered === null) {
          counts.failed += 1;
          say(`render: the browser crashed on ${url}`);
          continue;
        }
        if (rendered.noScreenshot !== undefined) noteMissing(url, rendered.noScreenshot);
        const made = await read(render, rendered.html);
        const isWhole = await publish({ ...made, page: made.page && shown(made.page, rendered.screenshot) });
        if (!isWhole) noteMissing(url, 'record');
        counts.rendered += 1;
      }
    },
    stats: () => ({ ...counts }),
    noScreenshots: () => ({ ...noScreenshots }),
  };
}

/** A page of which a copy may not be kept has no screenshot. */
function shown(page: Page, screenshot: Uint8Array): Page {
  return { ...page, rendered: true, screenshot: barredFrom(page.usage, 'archive') < 0 ? screenshot : noScreenshot };
}
