/** Verdicts of our rules, and of `robots-parser`, the package usually taken on Node. */
import robotsParser from 'robots-parser';
import { isAllowed, parseRobots } from '../../../topology/robots/rules.ts';

export function byOurs(body: Uint8Array, agent: string, url: string): boolean {
  return isAllowed(parseRobots(body, agent, new URL('/robots.txt', url).href), url);
}

/** It has no word for a host that its file is not of: no rule is a yes. */
export function byPackage(body: Uint8Array, agent: string, url: string): boolean {
  const read = robotsParser as unknown as (at: string, text: string) => { isAllowed(url: string, ua: string): boolean };
  return read(new URL('/robots.txt', url).href, Buffer.from(body).toString()).isAllowed(url, agent) ?? true;
}
