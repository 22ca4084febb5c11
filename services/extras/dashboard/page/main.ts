/** The page: passes each second's status to its parts. */
import type { CrawlStatus, Trouble } from '../status.ts';
import { showBreakdown } from './breakdown.ts';
import { crawlName } from './crawl-name.ts';
import { showDeadLetters } from './dead-letters.ts';
import { showDuplicates } from './duplicates.ts';
import { byId, el, setText } from './element.ts';
import { showErrors } from './errors.ts';
import { showExplain } from './explain.ts';
import { showFailures } from './failures.ts';
import { showHostMap } from './host-map.ts';
import { showHosts } from './hosts.ts';
import { hostLink, partLink } from './links.ts';
import { listen } from './live.ts';
import { clock, count, day, duration, roughly } from './numbers.ts';
import { operate } from './operate.ts';
import { showPartitions } from './partitions.ts';
import { isEnded, phaseTexts } from './phase-text.ts';
import { askHistory } from './requests.ts';
import { showRights } from './rights.ts';
import { showSearch } from './search.ts';
import { Series } from './series.ts';
import { steeringOf } from './steering.ts';
import { themeButton } from './theme.ts';
import { showTiles } from './tiles.ts';
import { showTraffic } from './traffic.ts';

let newest: CrawlStatus | undefined;
/** The crawl has ended, and no other crawl has answered at this address since. */
let isOver = false;

const series = new Series();
const traffic = showTraffic(series);
const errors = showErrors();
const operator = operate(() => void hosts.refresh());
showExplain(operator.addSeed);
const failures = showFailures();
const shown = [
  failures.show,
  showBreakdown(),
  showPartitions(),
  showDeadLetters(operator.replay),
  showSearch(),
  showHostMap(),
  showDuplicates(),
];
const tiles = showTiles();
const hosts = showHosts(operator.act, () => newest);
const pause = byId<HTMLButtonElement>('pause');
pause.addEventListener('click', () => newest && void operator.steer(newest.paused ? 'resume' : 'pause', newest));
const stop = byId<HTMLButtonElement>('stop');
stop.addEventListener('click', () => newest && void operator.steer('stop', newest));
themeButton(byId<HTMLButtonElement>('theme'), () => {
  traffic.repaint();
  errors.repaint();
});
void hosts.refresh();

let hasHistory = false;
function show(status: CrawlStatus): void {
  newest = status;
  const { canPause, canStop, why } = steeringOf(status);
  setText(pause, status.paused ? 'Resume' : 'Pause');
  pause.hidden = !canPause;
  stop.hidden = !canStop;
  byId('steering').hidden = why === '';
  setText(byId('steering'), why);
  const name = crawlName(status);
  setText(byId('crawl'), name);
  document.title = `${name}: ${phaseTexts[status.phase]} – Crawlstream`;
  setPhase(status.phase, phaseTexts[status.phase]);
  setText(byId('as-of'), `as of ${clock(status.atMs)}`);
  setText(
    byId('release'),
    `Crawlstream ${status.release}${status.policyVersion === null ? '' : `, policy version ${status.policyVersion}`}`,
  );
  series.add(status.atMs, status.counts);
  tiles(status, series);
  traffic.update();
  showAbout(status);
  for (const part of shown) part(status);
  showTroubles(status.troubles);
}

function setPhase(phase: string, text: string): void {
  const place = byId('phase');
  place.dataset['phase'] = phase;
  setText(place, text);
}

/** The start of the crawl, its seeds, its scope and its folder. */
function showAbout({ about, atMs, phase, recent }: CrawlStatus): void {
  if (!about) return;
  const { seeds, seedCount, scope, place, startedMs } = about;
  const untilMs = isEnded(phase) || phase === 'idle' ? (recent.newestMs ?? atMs) : atMs;
  const rest = seedCount > seeds.length ? ` and ${count(seedCount - seeds.length)} more` : '';
  const parts = [
    startedMs === null ? '' : `${roughly(Math.max(0, untilMs - startedMs))} since ${day(startedMs)}`,
    seeds.length === 0 ? '' : `seeds ${seeds.join(' ')}${rest}`,
    `scope ${scope}`,
    place ?? '',
  ].filter((part) => part !== '');
  if (byId('about').textContent === parts.join(' · ')) return;
  // Each part is isolated: characters in a seed may turn the direction of what follows.
  byId('about').replaceChildren(...parts.flatMap((part, at) => [at === 0 ? '' : ' · ', el('bdi', {}, part)]));
}

function showTroubles(troubles: readonly Trouble[]): void {
  const place = byId('troubles');
  const now = troubles.map(({ severity, text }) => `${severity} ${text}`).join('\n');
  if (place.dataset['shown'] === now) return;
  place.dataset['shown'] = now;
  place.replaceChildren(...troubles.map(troubleLine));
}

function troubleLine({ severity, text, host, part }: Trouble): HTMLElement {
  if (host !== undefined) return el('li', { class: severity }, hostLink(host), text.slice(host.length));
  return el('li', { class: severity }, part === undefined ? text : partLink(part, text));
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
    void showRights().then(failures.mayAsk);
  },
  onStatus(status) {
    setBanner('');
    show(status);
  },
  onWaiting(message) {
    setPhase('waiting', 'starting');
    if (newest !== undefined) setBanner(`${message}.${age()}`);
  },
  onTrouble(message) {
    // After the end, a fleet refuses calls about the crawl: the last status stays.
    if (isOver) return;
    setPhase('trouble', 'no data');
    setBanner(`${message}.${age()}`);
  },
  onOver(status) {
    isOver = true;
    operator.over();
    failures.mayAsk(false);
    show(status);
    const how = phaseTexts[status.phase].replace('ended: ', '');
    const place = status.about?.place ?? null;
    setBanner(
      `This crawl has ended (${how})${place === null ? '' : `: see its data with crawlstream dashboard ${place}`}`,
    );
  },
  onRefused(message) {
    setPhase('lost', 'no token');
    setBanner(`${message}: reload the page to enter it.`);
  },
  onLost(retryMs) {
    hasHistory = false;
    // After the end no process answers, so the last status stays.
    if (isOver) return;
    setPhase('lost', 'disconnected');
    setBanner(`The service does not answer: retrying in ${duration(retryMs)}.${age()}`);
  },
});
