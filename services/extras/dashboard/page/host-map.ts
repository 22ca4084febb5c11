/**
 * The map of hosts: a picture of the hosts that link to each other, and a table of the same. It is read once somebody
 * wants it; absent without a link graph.
 */
import type { CrawlStatus, HostMapStatus } from '../status.ts';
import { byId, cell, el, heading, rowOf, scrolled, setText } from './element.ts';
import { drawHostMap } from './host-map-picture.ts';
import { hostLink } from './links.ts';
import { count, whole } from './numbers.ts';
import { askHostMap } from './requests.ts';

export function showHostMap(): (status: CrawlStatus) => void {
  const [panel, size, picture, list] = [
    byId('host-map'),
    byId('host-map-size'),
    byId('host-map-picture'),
    byId('host-map-list'),
  ];
  const button = byId<HTMLButtonElement>('host-map-ask');
  let shown: HostMapStatus | undefined;
  let width = 0;
  const draw = () => {
    width = picture.clientWidth;
    if (shown !== undefined && width > 0) picture.replaceChildren(...drawHostMap(shown, width));
  };
  new ResizeObserver(() => picture.clientWidth !== width && draw()).observe(picture);
  pointAtHosts(picture, list);
  button.addEventListener('click', async () => {
    button.disabled = true;
    setText(size, 'reading links …');
    try {
      shown = await askHostMap();
      setText(size, sizeOf(shown));
      list.replaceChildren(tableOf(shown));
      draw();
    } catch (error) {
      setText(size, (error as Error).message);
    } finally {
      button.disabled = false;
    }
  });
  return ({ canMapHosts = false }) => {
    panel.hidden = !canMapHosts;
  };
}

function sizeOf({ hosts, hostsLeftOut, edges, edgesLeftOut, isEstimate }: HostMapStatus): string {
  if (hosts.length === 0)
    return hostsLeftOut === 0
      ? 'no page has been fetched so far'
      : `no host with a page was found, but not all partitions answered; ${count(hostsLeftOut)} hosts left out`;
  const of = (shown: number, name: string, left: number) =>
    `${count(shown)} ${name}${shown === 1 ? '' : 's'}${left === 0 ? '' : ` (${count(left)} left out)`}`;
  const sizes = `${of(hosts.length, 'host', hostsLeftOut)}, ${of(edges.length, 'connection', edgesLeftOut)}`;
  return isEstimate ? `${sizes}; an estimate: not all hosts and links were read` : sizes;
}

function tableOf({ hosts, edges }: HostMapStatus): HTMLElement {
  const rows = hosts.map(({ host, pages }, at) => {
    const targets = edges.filter(({ from }) => from === at);
    const items = targets.map(({ to, links }) => el('li', {}, hosts[to]!.host, ` ${whole(links)}`));
    const name = el('th', { scope: 'row', class: 'mono' }, hostLink(host));
    const row = rowOf(name, cell(whole(pages), true), cell(items.length === 0 ? '–' : el('ul', {}, ...items)));
    row.dataset['at'] = String(at);
    return row;
  });
  const head = el('thead', {}, rowOf(heading('Host'), heading('Pages', true), heading('Links to')));
  return scrolled('Hosts and their links', el('table', { class: 'leads' }, head, el('tbody', {}, ...rows)));
}

/** Lines of the host under the pointer, or with the focus in the table, stand out in the picture. */
function pointAtHosts(picture: HTMLElement, list: HTMLElement): void {
  const point = (at: string | undefined) => {
    picture.classList.toggle('pointed', at !== undefined);
    for (const line of picture.querySelectorAll<SVGElement>('[data-from]')) {
      line.classList.toggle('from', line.dataset['from'] === at);
      line.classList.toggle('to', line.dataset['to'] === at);
    }
  };
  const pointed = ({ target }: Event) =>
    point((target as Element).closest<HTMLElement | SVGElement>('[data-at]')?.dataset['at']);
  for (const place of [picture, list]) {
    for (const kind of ['pointerover', 'focusin']) place.addEventListener(kind, pointed);
    for (const kind of ['pointerleave', 'focusout']) place.addEventListener(kind, () => point(undefined));
  }
}
