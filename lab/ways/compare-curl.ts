/**
 * Checks whether curl accepts the same answers as the crawler. Each difference has its reason in
 * `situations/beside-curl.ts`.
 */

import { askCurl, type CurlAnswer } from './ask-curl.ts';
import { type Case, serveWays } from './serve.ts';
import { besideCurl, type CurlDifference } from './situations/beside-curl.ts';
import type { Situation } from './situations/situation.ts';
import { type Column, expectedOf, fits } from './ways.ts';

export interface CurlMismatch {
  readonly situation: string;
  readonly column: string;
  readonly ours: string;
  /** The table's entry; 'agrees': curl is expected to do as the crawler does. */
  readonly expects: string;
  readonly found: string;
}

export interface CurlResult {
  readonly cases: number;
  readonly differing: number;
  readonly mismatches: readonly CurlMismatch[];
}

/** Processes of curl at once. */
const curlsMax = 16;

/** curl has no robots.txt, no second visit and no retries: those situations are left out. Each request has a new connection. */
export const isForCurl = ({ robots, seeds, crawl, group }: Situation): boolean =>
  robots === undefined && seeds === undefined && crawl === undefined && group !== 'cookie';

export async function compareWithCurl(
  situations: readonly Situation[],
  columns: readonly Column[],
  port: number,
): Promise<CurlResult> {
  const fresh = columns.filter(({ isFresh }) => isFresh);
  const web = await serveWays(situations.filter(isForCurl), fresh, port);
  try {
    const waiting = [...web.cases];
    const found: { readonly one: Case; readonly says: string }[] = [];
    const work = async () => {
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop())
        found.push({ one, says: verdictOn(one, await askCurl(one, web, port)) });
    };
    await Promise.all(Array.from({ length: curlsMax }, work));
    const mismatches = found.flatMap(({ one, says }) => mismatchOf(one, says));
    const differing = found.filter(({ says }) => says !== agrees).length;
    return { cases: found.length, differing, mismatches };
  } finally {
    web.close();
  }
}

const agrees = 'agrees';

function differenceOf({ group, name }: Situation, column: Column): CurlDifference | undefined {
  return besideCurl.find(({ of, where = {} }) => of.includes(`${group}: ${name}`) && fits(where, column));
}

function mismatchOf({ situation, column }: Case, found: string): CurlMismatch[] {
  const expects = differenceOf(situation, column)?.says ?? agrees;
  if (found === expects) return [];
  const name = `${situation.group}: ${situation.name}`;
  return [{ situation: name, column: column.way.label, ours: expectedOf(situation, column), expects, found }];
}

/** 'agrees', or curl's result. */
function verdictOn({ situation, column }: Case, answer: CurlAnswer): string {
  const { exit, status, bytes } = answer;
  const ours = expectedOf(situation, column);
  const whole = situation.page[0]!.body.length;
  const came = bytes === whole ? 'the whole body' : `${bytes} bytes`;
  const says = exit === 0 ? `exit 0, ${status}, ${came}` : `exit ${exit}`;
  const [, kind = '', code = '0'] = /^(\w+)(?: (\d+))?/.exec(ours) ?? [];
  if (failures.has(kind)) return exit === 0 ? says : agrees;
  if (exit !== 0 || status !== Number(code)) return says;
  if (ours.includes(', a part')) return bytes < whole ? agrees : says;
  return ours.includes(', whole') && bytes !== whole ? says : agrees;
}

/** Outcomes of an incomplete or missing answer. */
const failures = new Set(['connectionFailed', 'timeout', 'badResponse', 'tlsFailed', 'throttled', 'robotsUnreachable']);
