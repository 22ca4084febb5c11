/**
 * Message number n of `discovered`, always the same: half of its links are new, the others come again from any message
 * before it. So the position alone says how many URLs must be admitted.
 */
import { blankLinkGroup } from '../../../schemas/blank.ts';
import type { Discovered } from '../../../schemas/types.ts';

export const linksPerMessage = 200;
export const newPerMessage = 100;
const hosts = 500;

export function linksOf(message: number): Discovered {
  const links = Array.from({ length: linksPerMessage }, (_, i) => {
    const number = i < newPerMessage ? message * newPerMessage + i : Math.imul(message + 1, 7919 * i) >>> 0;
    return urlOf(i < newPerMessage ? number : number % ((message + 1) * newPerMessage));
  });
  const groups = links.map((url) => ({
    ...blankLinkGroup,
    hostKey: new URL(url).host,
    depth: 1,
    links: [{ url, lastModifiedMs: 0, priority: -1, spelling: '' }],
  }));
  return { groups };
}

function urlOf(number: number): string {
  return `https://h${(number * 31) % hosts}.test/section/page-${number}`;
}
