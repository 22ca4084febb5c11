/**
 * The page of one URL's story: a picture and a table of every event. The URL is in the address, so that a story can be
 * linked to. The picture is shown as an image, in which nothing can run.
 */
import type { TimelineEventStatus, TimelineStatus } from '../status.ts';
import { byId, cell, el, heading, rowOf, scrolled, setText } from './element.ts';
import { explainedFacts } from './explain.ts';
import { hostLink, linkedText } from './links.ts';
import { askExplain, askRecord, askTimeline } from './requests.ts';
import { showRecord } from './show-record.ts';
import { themeButton } from './theme.ts';

const [form, field] = [byId<HTMLFormElement>('story-form'), byId<HTMLInputElement>('story-url')];
const [size, picture, events] = [byId('story-size'), byId('story-picture'), byId('story-events')];
const explained = byId('explained');

themeButton(byId<HTMLButtonElement>('theme'), () => {});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  history.replaceState(null, '', `?${new URLSearchParams({ url: field.value.trim() })}`);
  void ask();
});
field.value = new URLSearchParams(location.search).get('url') ?? '';
void ask();

async function ask(): Promise<void> {
  const url = field.value.trim();
  picture.replaceChildren();
  events.replaceChildren();
  explained.replaceChildren();
  showRecord(null);
  if (url === '') return setText(size, 'Enter a URL.');
  setText(size, 'Reading the records of this URL …');
  try {
    // One after the other: each reads much of a log, and the service does one at a time.
    explained.replaceChildren(explainedFacts((await askExplain(url)).lines), ...hostOf(url));
    // A service of an earlier release has none; that must not hide the rest.
    showRecord(await askRecord(url).catch((error: Error) => ({ missing: error.message })));
    show(await askTimeline(url));
  } catch (error) {
    setText(size, (error as Error).message);
  }
}

function hostOf(url: string): HTMLElement[] {
  if (!URL.canParse(url)) return [];
  return [el('p', { class: 'more' }, 'Its host: ', hostLink(new URL(url).host))];
}

function show({ url, events: list, all, picture: svg, trimmed }: TimelineStatus): void {
  document.title = `${url} – Crawlstream`;
  const shown = list.length < all ? `the newest ${list.length} of ${all} events` : `${all} events`;
  setText(size, `${shown}${trimmed ? '; older events were trimmed' : ''}`);
  if (list.length === 0) return;
  const source = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  const image = el('img', { class: 'story-picture', src: source, alt: `Timeline of ${list.length} events` });
  picture.replaceChildren(el('section', { class: 'scroll', tabindex: 0, 'aria-label': 'Timeline, scrollable' }, image));
  const names = ['Since', 'Event', 'Topic', 'Offset', 'Policy', 'Time'];
  const head = el('thead', {}, rowOf(...names.map((name) => heading(name, name === 'Offset'))));
  const table = el('table', { class: 'events' }, head, el('tbody', {}, ...list.map(line)));
  events.replaceChildren(scrolled('Events', table));
}

function line({
  since,
  text,
  topic,
  partition,
  offset,
  policyVersion,
  time,
}: TimelineEventStatus): HTMLTableRowElement {
  const version = policyVersion === 0 ? '' : String(policyVersion);
  return rowOf(
    cell(since),
    cell(el('span', {}, ...linkedText(text))),
    cell(topic),
    cell(`${partition}@${offset}`, true),
    cell(version),
    cell(el('time', { datetime: time }, time)),
  );
}
