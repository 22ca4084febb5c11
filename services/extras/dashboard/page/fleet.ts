/**
 * The page of a fleet: polls once a second, and writes only changes. Names, titles and failures are shown as text,
 * never parsed as markup.
 */
import { confirmed } from './dialogs.ts';
import { byId, cell, el, heading, rowOf, scrolled, setText } from './element.ts';
import { showOne } from './fleet-one.ts';
import {
  askCrawls,
  askOwners,
  type CrawlVerb,
  deleteCrawl,
  type FleetCrawl,
  type FleetOwner,
  startCrawl,
  steerCrawl,
} from './fleet-requests.ts';
import { bytes, clock, count, percent } from './numbers.ts';
import { NoToken } from './requests.ts';
import { themeButton } from './theme.ts';

const everyMs = 1_000;
/** Owners share a fleet equally, and the crawls of an owner by weight. */
function sharesIn(crawls: readonly FleetCrawl[]): (crawl: FleetCrawl) => number {
  const weights = new Map<string, number>();
  for (const { owner, weight } of crawls) weights.set(owner, (weights.get(owner) ?? 0) + weight);
  return ({ owner, weight }) => weight / (weights.get(owner) ?? 1) / weights.size;
}

/** An owner's calls a minute are bounded, and quotas move slowly. */
const ownersEvery = 10;
const againMs = 5_000;
const running: ReadonlySet<string> = new Set(['starting', 'running']);
const moving: ReadonlySet<string> = new Set([...running, 'pausing', 'ending']);
/** Crawls of single pages: `POST /v1/scrape` names them (services/extras/fleet/scrape/page-scraper.ts). */
const ofOnePage = /^page-[0-9a-f]{24}$/;

themeButton(byId<HTMLButtonElement>('theme'), () => {});
const one = showOne();
const crawls = tableOf('Crawls', 'crawls-list', [
  ...['Crawl', 'Owner', 'State'].map((name) => heading(name)),
  ...['Weight', 'Share', 'Pages', 'Pages/s', 'Queued', 'Hosts'].map((name) => heading(name, true)),
  heading('Acts'),
]);
const owners = tableOf('Owners', 'owners-list', [
  heading('Owner'),
  ...['Crawls', 'Pages today', 'Bytes today', 'Hosts'].map((name) => heading(name, true)),
]);
const rows = new Map<string, ReturnType<typeof crawlRow>>();

function tableOf(name: string, place: string, headings: readonly HTMLElement[]): HTMLTableSectionElement {
  const body = el('tbody');
  byId(place).append(scrolled(name, el('table', {}, el('thead', {}, rowOf(...headings)), body)));
  return body;
}

/** Keeps a row as one element while its crawl exists, so that a click hits its target. */
function crawlRow(name: string) {
  let latest: FleetCrawl;
  const open = el('button', { type: 'button', class: 'quiet' }, name);
  open.addEventListener('click', () => void attempt(() => one.open(latest).then(() => '')));
  const texts = Array.from({ length: 8 }, () => el('span'));
  const button = (verb: CrawlVerb, label: string) => {
    const made = el('button', { type: 'button', 'aria-label': `${label} ${name}` }, label);
    made.addEventListener('click', () => void steer(latest, verb, label));
    return made;
  };
  const [pause, resume, end] = [button('pause', 'Pause'), button('resume', 'Resume'), button('end', 'End')] as const;
  const remove = el('button', { type: 'button', 'aria-label': `Delete ${name}` }, 'Delete');
  remove.addEventListener('click', () => void removeCrawl(latest));
  const cells = texts.map((text, at) => cell(text, at > 1));
  const row = rowOf(
    el('th', { scope: 'row' }, open),
    ...cells,
    cell(el('span', {}, pause, ' ', resume, ' ', end, ' ', remove)),
  );
  row.dataset['crawl'] = name;
  return {
    row,
    show(crawl: FleetCrawl, share: number) {
      latest = crawl;
      const { owner, state, weight, counts, pagesPerSecond } = crawl;
      const shown = [owner, stateText(crawl), `${weight}`, running.has(state) ? percent(share) : '–'];
      const numbers = [count(counts.pages), pagesPerSecond.toFixed(1), count(counts.queued), count(counts.hosts)];
      for (const [at, text] of [...shown, ...numbers].entries()) setText(texts[at]!, text);
      pause.hidden = !running.has(state) && state !== 'held';
      resume.hidden = state !== 'paused' && state !== 'failed';
      end.hidden = state === 'ended' || state === 'ending';
      remove.hidden = moving.has(state);
    },
  };
}

function stateText({ state, end, noPage }: FleetCrawl): string {
  if (end === null) return state;
  return `${state}: ${noPage === null ? end : 'nothing fetched'}`;
}

const scrapes = byId<HTMLInputElement>('scrapes');
const address = new URLSearchParams(location.search);
scrapes.checked = address.has('single');
scrapes.addEventListener('change', () => {
  history.replaceState(null, '', scrapes.checked ? '?single' : location.pathname);
  showCrawls(newest);
});
let newest: readonly FleetCrawl[] = [];

function showCrawls(every: readonly FleetCrawl[]): void {
  newest = every;
  const single = every.filter(({ name }) => ofOnePage.test(name)).length;
  byId('scrapes-choice').hidden = single === 0;
  setText(byId('scrapes-count'), `single pages: ${count(single)}`);
  const all = scrapes.checked ? every : every.filter(({ name }) => !ofOnePage.test(name));
  const shareOf = sharesIn(every.filter(({ state }) => running.has(state)));
  const names = new Set(all.map(({ name }) => name));
  for (const [name, { row }] of rows) {
    if (names.has(name)) continue;
    row.remove();
    rows.delete(name);
  }
  for (const crawl of all) {
    let shown = rows.get(crawl.name);
    if (shown === undefined) {
      rows.set(crawl.name, (shown = crawlRow(crawl.name)));
      crawls.append(shown.row);
    }
    shown.show(crawl, shareOf(crawl));
    one.show(crawl);
  }
  const at = all.filter(({ state }) => running.has(state)).length;
  setText(byId('crawls-size'), `${count(all.length)}, ${count(at)} running`);
  setText(byId('as-of'), `as of ${clock(Date.now())}`);
}

function showOwners(all: readonly FleetOwner[]): void {
  byId('owners').hidden = all.length === 0;
  const of = ({ used, most }: FleetOwner['hosts'], text = count) =>
    most === null ? text(used) : `${text(used)} of ${text(most)}`;
  owners.replaceChildren(
    ...all.map(({ name, crawls: { running: now, runningMax }, pagesToday, bytesToday, hosts }) =>
      rowOf(
        el('th', { scope: 'row' }, name),
        ...[`${now} of ${runningMax}`, of(pagesToday), of(bytesToday, bytes), of(hosts)].map((text) =>
          cell(text, true),
        ),
      ),
    ),
  );
}

async function steer({ name }: FleetCrawl, verb: CrawlVerb, label: string): Promise<void> {
  const texts = {
    pause: 'It stops after its current requests, and keeps its data.',
    resume: 'It continues where it stopped.',
    end: 'It ends and cannot be resumed. Its pages stay until it is deleted.',
  };
  if (!(await confirmed({ title: `${label} ${name}?`, text: texts[verb], yes: label }))) return;
  await attempt(() =>
    steerCrawl(name, verb).then(() => `${name} was ${{ pause: 'paused', resume: 'resumed', end: 'ended' }[verb]}`),
  );
}

async function removeCrawl({ name, counts, data }: FleetCrawl): Promise<void> {
  const pages = `${count(counts.pages)} page${counts.pages === 1 ? '' : 's'}`;
  const text = `Its ${pages} and all its other data are removed${data === undefined ? '' : `, with the folder ${data}`}. This cannot be undone.`;
  if (!(await confirmed({ title: `Delete ${name}?`, text, yes: 'Delete' }))) return;
  await attempt(() => deleteCrawl(name).then(() => `${name} was deleted`));
}

/** Shows the text that `act` returns, if any, or the reason of its failure. */
async function attempt(act: () => Promise<string>): Promise<void> {
  const toast = byId('toast');
  try {
    const done = await act();
    toast.replaceChildren(...(done === '' ? [] : [el('p', {}, done)]));
  } catch (error) {
    toast.replaceChildren(el('p', {}, (error as Error).message));
  }
}

byId('start-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const seed = byId<HTMLInputElement>('start-seed');
  void attempt(async () => {
    const { name } = await startCrawl(seed.value.trim());
    seed.value = '';
    return `${name} has started`;
  });
});

function setBanner(text: string): void {
  const banner = byId('connection');
  banner.classList.toggle('shown', text !== '');
  setText(banner, text);
}

let looks = 0;
async function look(): Promise<void> {
  let waitMs = everyMs;
  try {
    showCrawls(await askCrawls());
    if (looks++ % ownersEvery === 0) showOwners(await askOwners());
    setBanner('');
  } catch (error) {
    setBanner((error as Error).message);
    // Only a page that is loaded again asks for it again.
    if (error instanceof NoToken) return;
    waitMs = againMs;
  }
  setTimeout(() => void look(), waitMs);
}
void look();
