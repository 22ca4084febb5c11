/** The page: what is told once a second goes to each of its parts. */
import type { CrawlStatus, Trouble } from '../status.ts';
import { showBreakdown } from './breakdown.ts';
import { byId, el, setText } from './element.ts';
import { showExplain } from './explain.ts';
import { showHosts } from './hosts.ts';
import { showLetters } from './letters.ts';
import { listen } from './live.ts';
import { clock, duration } from './numbers.ts';
import { operate } from './operate.ts';
import { showPartitions } from './partitions.ts';
import { isEnded, phaseTexts } from './phase-text.ts';
import { askHistory } from './requests.ts';
import { Series } from './series.ts';
import { themeButton } from './theme.ts';
import { showTiles } from './tiles.ts';
import { showTraffic } from './traffic.ts';

let newest: CrawlStatus | undefined;
/** It told its end, and no other crawl has answered at this address since. */
let isOver = false;

const series = new Series();
const traffic = showTraffic(series);
showExplain();
const shown = [showBreakdown(), showPartitions(), showLetters()];
const tiles = showTiles();
const operator = operate(() => void hosts.refresh());
const hosts = showHosts(operator.act, () => newest);
const pause = byId<HTMLButtonElement>('pause');
pause.addEventListener('click', () => newest && void operator.steer(newest.paused ? 'resume' : 'pause', newest));
themeButton(byId<HTMLButtonElement>('theme'), () => traffic.repaint());
void hosts.refresh();

let hasHistory = false;
function show(told: CrawlStatus): void {
  newest = told;
  setText(pause, told.paused ? 'Resume' : 'Pause');
  pause.hidden = isEnded(told.phase) && !told.paused;
  setText(byId('crawl'), told.crawl);
  document.title = `${told.crawl}: ${phaseTexts[told.phase]} – Crawlstream`;
  setPhase(told.phase, phaseTexts[told.phase]);
  setText(byId('as-of'), `as of ${clock(told.atMs)}`);
  setText(
    byId('release'),
    `Crawlstream ${told.release}${told.policyVersion === null ? '' : `, policy version ${told.policyVersion}`}`,
  );
  series.add(told.atMs, told.counts);
  tiles(told, series);
  traffic.update();
  for (const part of shown) part(told);
  showTroubles(told.troubles);
}

function setPhase(phase: string, text: string): void {
  const place = byId('phase');
  place.dataset['phase'] = phase;
  setText(place, text);
}

function showTroubles(troubles: readonly Trouble[]): void {
  const place = byId('troubles');
  const now = troubles.map(({ severity, text }) => `${severity} ${text}`).join('\n');
  if (place.dataset['shown'] === now) return;
  place.dataset['shown'] = now;
  place.replaceChildren(...troubles.map(({ severity, text }) => el('li', { class: severity }, text)));
}

/** Empty: all is well. */
function setBanner(text: string): void {
  const banner = byId('connection');
  banner.classList.toggle('shown', text !== '');
  document.body.classList.toggle('stale', text !== '');
  setText(banner, text);
}

function age(): string {
  return newest === undefined ? '' : ` The data is from ${clock(newest.atMs)}.`;
}

/** Once for each connection: the service may be another one by now. */
async function begin(): Promise<void> {
  if (hasHistory) return;
  hasHistory = true;
  try {
    series.begin(await askHistory());
    traffic.update();
  } catch {
    // The charts begin with now, then; the next connection asks again.
    hasHistory = false;
  }
}

listen({
  onConnected() {
    isOver = false;
    setBanner('');
    void begin();
  },
  onTold(told) {
    setBanner('');
    show(told);
  },
  onWaiting(message) {
    setPhase('waiting', 'starting');
    if (newest !== undefined) setBanner(`${message}.${age()}`);
  },
  onTrouble(message) {
    setPhase('trouble', 'cannot be looked at');
    setBanner(`${message}.${age()}`);
  },
  onOver(told) {
    isOver = true;
    show(told);
    const how = phaseTexts[told.phase].replace('ended: ', '');
    setBanner(`This crawl and its service have ended (${how}): see its data with crawlstream dashboard --data …`);
  },
  onRefused(message) {
    setPhase('lost', 'not shown');
    setBanner(`${message}: reload the page to enter it.`);
  },
  onLost(retryMs) {
    hasHistory = false;
    // Nobody answers after the end: what was told last stays.
    if (isOver) return;
    setPhase('lost', 'disconnected');
    setBanner(`The service does not answer: trying again in ${duration(retryMs)}.${age()}`);
  },
});
