/** Prints the URLs of a crawl without a page, and how they add up to the counts of `stats`. */
import { counted } from '../../runtime/counted.ts';
import { inShell } from '../../runtime/in-shell.ts';
import { ownName } from '../../runtime/own-name.ts';
import { placeNames } from '../../runtime/words.ts';
import { printNotice } from '../progress/restore-text.ts';
import { type FailedPlace, FailedUrls, type ReadFailures } from './failed-urls.ts';
import type { WriteLine } from './write-line.ts';

/** `place`: the options that name the crawl to other commands. */
export async function printFailures(
  crawl: ReadFailures,
  asJson: boolean,
  write: WriteLine,
  place: string,
): Promise<void> {
  const all = new FailedUrls(crawl, printNotice);
  const seen = { failed: 0, denied: 0, deadLettered: 0, redirected: 0, queued: 0, notRead: 0 };
  let first = '';
  for await (const { url, kind, status, detail, place, cause } of all.rows()) {
    seen[place] += 1;
    if (kind === 'notRead') seen.notRead += 1;
    else if (first === '') first = url;
    const line = asJson
      ? JSON.stringify({ url, kind, status, detail, place })
      : `${kind}  ${url}  ${cause}${place === 'queued' ? '; waits for a retry' : ''}`;
    if (!(await write(line))) return;
  }
  if (asJson) return;
  const details = first === '' ? '' : `. Details of the first: ${ownName()} explain ${inShell(first)} ${place}`;
  printNotice(`${failedText(seen, all.endings)}${details}`);
}

type Seen = Readonly<Record<FailedPlace | 'notRead', number>>;

/** In the words and numbers of `stats`. */
export function failedText(seen: Seen, endings: number): string {
  const { failed, denied, deadLettered, redirected, queued, notRead } = seen;
  const ended = failed + denied + deadLettered;
  const parts = [
    [failed, `${placeNames.failed}${notRead === 0 ? '' : ` (${number(notRead)} of them skipped by type)`}`],
    [deadLettered, placeNames.dead],
    [denied, placeNames.denied],
  ] as const;
  const places = parts.flatMap(([count, name]) => (count === 0 ? [] : [`${number(count)} ${name}`]));
  const sentences = [
    ended === 0 ? 'no URL has failed' : `${urls(ended)} ended without a page: ${places.join(', ')}`,
    endings > ended ? `stats counts ${number(endings - ended)} more: URLs that were sent again count each time` : '',
    redirected === 0 ? '' : `${urls(redirected)} redirected in a circle or too often: stats counts these as redirected`,
    queued === 0 ? '' : `${urls(queued)} ${queued === 1 ? 'waits' : 'wait'} for a retry`,
  ];
  return sentences.filter((one) => one !== '').join('. ');
}

function urls(count: number): string {
  return counted(count, 'URL', number(count));
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
