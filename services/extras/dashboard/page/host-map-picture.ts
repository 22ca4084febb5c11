/**
 * Draws the map of hosts, in pixels of its place: hosts on a circle, those of one domain beside each other. A disc has
 * the area of its pages. A line is broad at the host that links, and ends in a point at the host it links to.
 */
import type { HostMapStatus } from '../status.ts';
import { el } from './element.ts';

/** Sizes in pixels; `charPx`: width of each character of a label. */
const fontPx = 11;
const charPx = 6.7;
const labelMost = 180;
const radiusMost = 210;
const discMost = 18;
const lineMost = 7;
const gap = 5;

export function drawHostMap(map: HostMapStatus, widthPx: number): Node[] {
  if (map.hosts.length === 0) return [];
  const { hosts, edges } = map;
  const angles = anglesOf(hosts.map(({ host }) => host));
  const label = Math.min(labelMost, widthPx * 0.27);
  const radius = Math.min(radiusMost, widthPx / 2 - label);
  const disc = Math.min(discMost, hosts.length === 1 ? discMost : (Math.PI * radius) / hosts.length);
  const half = radius + label;
  const said = `Map of ${hosts.length} hosts and ${edges.length} connections; the table has the same.`;
  const box = `${-half} ${-half} ${2 * half} ${2 * half}`;
  const picture = svg('svg', { viewBox: box, width: 2 * half, height: 2 * half, role: 'img', 'aria-label': said });
  const strongest = Math.max(1, ...edges.map(({ links }) => links));
  // The strongest lie above the others.
  for (const { from, to, links } of [...edges].reverse()) {
    const shape = wedge(angles[from]!, angles[to]!, radius, 1 + lineMost * Math.sqrt(links / strongest));
    picture.append(svg('path', { class: 'map-link', d: shape, 'data-from': from, 'data-to': to }));
  }
  const most = Math.max(1, ...hosts.map(({ pages }) => pages));
  const chars = Math.floor((label - disc - gap) / charPx);
  for (const [at, { host, pages }] of hosts.entries()) {
    const [x, y] = onCircle(angles[at]!, radius);
    const one = svg('g', { 'data-at': at });
    const r = Math.max(2, disc * Math.sqrt(pages / most));
    const name = svg('title', {});
    name.textContent = `${host}: ${pages.toLocaleString('en-US')} pages`;
    one.append(name, svg('circle', { class: pages === 0 ? 'map-host without' : 'map-host', cx: x, cy: y, r }));
    one.append(labelOf(host, chars, angles[at]!, radius + disc + gap));
    picture.append(one);
  }
  return [picture, el('p', { class: 'hint' }, legend)];
}

const legend =
  'Discs: pages of each host; a ring: none. A line is broad at the host that links, and pointed at the host it links to.';

/** By position in `hosts`, clockwise from the right, in radians. */
function anglesOf(hosts: readonly string[]): number[] {
  const domains = hosts.map((host) => host.split('.').reverse().join('.'));
  const order = [...hosts.keys()].sort((a, b) => (domains[a]! < domains[b]! ? -1 : 1));
  const angles = new Array<number>(hosts.length);
  for (const [place, at] of order.entries()) angles[at] = (2 * Math.PI * place) / hosts.length;
  return angles;
}

function onCircle(angle: number, radius: number): [x: number, y: number] {
  return [rounded(radius * Math.cos(angle)), rounded(radius * Math.sin(angle))];
}

/** From one place on the circle to another, bent to its middle. */
function wedge(from: number, to: number, radius: number, width: number): string {
  const [x, y] = onCircle(from, radius);
  const [dx, dy] = [(width / 2) * -Math.sin(from), (width / 2) * Math.cos(from)].map(rounded) as [number, number];
  const end = onCircle(to, radius).join(' ');
  return `M ${x + dx} ${y + dy} Q 0 0 ${end} Q 0 0 ${x - dx} ${y - dy} Z`;
}

/** Reads outwards on the right, and inwards on the left: never upside down. */
function labelOf(host: string, chars: number, angle: number, from: number): SVGElement {
  const isLeft = Math.cos(angle) < -1e-9;
  const degrees = rounded((angle * 180) / Math.PI);
  const turn = isLeft ? `rotate(${degrees - 180}) translate(${-from} 0)` : `rotate(${degrees}) translate(${from} 0)`;
  const label = svg('text', {
    transform: turn,
    'text-anchor': isLeft ? 'end' : 'start',
    'dominant-baseline': 'central',
    'font-size': fontPx,
  });
  label.textContent = host.length > chars ? `${host.slice(0, Math.max(1, chars - 1))}…` : host;
  return label;
}

function rounded(px: number): number {
  return Math.round(px * 10) / 10;
}

function svg(
  tag: 'svg' | 'g' | 'path' | 'circle' | 'text' | 'title',
  attributes: Readonly<Record<string, string | number>>,
): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
