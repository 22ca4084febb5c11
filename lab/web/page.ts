/**
 * The HTML of a page, as pieces: strings of the page between shared sections.
 *
 * Sizes are 8–20 KB, 12.6 KB on average, the mean of the project's benchmarks; webs may have some pages of 100 KB, and
 * some with only the links that hold the web together. Links are in a list at the top and in small groups between the
 * sections.
 */
import type { WebPlan } from './plan.ts';
import { fraction, mix } from './random.ts';
import type { Resource } from './resources.ts';
import { plainHref, spelledHref } from './spellings.ts';
import { anchorText, sectionCount, sectionNear } from './text.ts';

const longPageChars = 100_000;

/** A string is HTML of this page; a number is the section of prose that comes next. */
export type Piece = string | number;

/** `lengths`: characters of each section. All ASCII. */
export function pagePieces(
  plan: WebPlan,
  host: number,
  resource: Resource,
  port: number,
  lengths: readonly number[],
): Piece[] {
  const { seed, spellings } = plan.options;
  const { scheme } = plan;
  const key = resource.index < 0 ? resource.path.length : resource.index;
  // Mean of 8 + 12 u^1.65 for u even in [0, 1) is 12.53.
  const ordinary = 8030 + 11_950 * fraction(seed, 60, host, key) ** 1.65;
  const size = { tiny: 0, ordinary, long: longPageChars }[plan.sizeOf(host, resource)];
  const title = `${anchorText(mix(seed, 61, host, key))} ${host}-${key}`;
  const links = plan.targets(host, resource).map(({ host: to, path, dice }) => {
    const spell = (dice >>> 12) / 0x10_0000 < spellings;
    const name = plan.hosts[to]!;
    const href = spell
      ? spelledHref(name, path, port, to === host, mix(dice, 62), scheme)
      : plainHref(name, path, port, to === host, scheme);
    return `<a href="${href.includes('&') ? href.replace(/&/g, '&amp;') : href}">${anchorText(dice)}</a>`;
  });

  const first = Math.min(12, links.length);
  const head = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title>\n<meta name="description" content="Page ${resource.path.replace(/&/g, '&amp;')} of ${plan.hosts[host]}"></head>\n<body><h1>${title}</h1>\n<ul>${links.slice(0, first).map(listed).join('')}</ul>\n`;
  const foot = '<footer>Generated text.</footer></body></html>\n';
  let left = size - head.length - foot.length - 60; // the groups' own tags
  for (let n = first; n < links.length; n++) left -= links[n]!.length + 1;

  // Long sections, then one that fits: few blocks to inflate, and the exact size.
  const chosen: number[] = [];
  for (let dice = mix(seed, 63, host, key); left > lengths[sectionCount - 1]!; dice = mix(dice, chosen.length)) {
    const section = sectionCount / 2 + (dice % (sectionCount / 2));
    chosen.push(section);
    left -= lengths[section]!;
  }
  // A tiny page is its links and no prose.
  if (left > 0) chosen.push(sectionNear(left));

  const pieces: Piece[] = [head];
  const perGroup = Math.max(1, Math.ceil((links.length - first) / Math.max(1, chosen.length)));
  let at = first;
  for (const section of chosen) {
    pieces.push(section);
    if (at < links.length) pieces.push(`<div>${links.slice(at, at + perGroup).join(' ')}</div>\n`);
    at += perGroup;
  }
  if (at < links.length) pieces.push(`<div>${links.slice(at).join(' ')}</div>\n`);
  pieces.push(foot);
  return pieces;
}

function listed(link: string): string {
  return `<li>${link}</li>`;
}
