/** robots.txt files that stand on an edge. */
import { parseRobots } from '../../topology/robots/rules.ts';
import type { RobotsAnswer } from '../../topology/robots/verdict.ts';

const url = 'http://a.test/robots.txt';

/** A file of `bytes` (or as many as it takes) that ends in a rule without a line end; `more`: a line before it. */
export function readFor(bytes: number, more = '') {
  const [head, rule] = [`User-agent: *\n${more}\n`, '\nDisallow: /no'];
  const filler = `#${'x'.repeat(Math.max(0, bytes - head.length - rule.length - 1))}`;
  return parseRobots(Buffer.from(head + filler + rule), 'crawlstream', url);
}

export function robotsAnswer(more: { status: number; hops?: number; cachedAgeMs?: number }): RobotsAnswer {
  const { status, hops = 0, cachedAgeMs = null } = more;
  const asked = Array.from({ length: hops + 1 }, (_, hop) => `${url}?${hop}`);
  return { url: asked.at(-1)!, status, location: '/next', asked, cachedAgeMs };
}
