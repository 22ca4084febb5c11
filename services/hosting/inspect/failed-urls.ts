/**
 * The URLs of a crawl that gave no page, each with its newest answer and the reason, from `results`, as far back as it
 * reaches. URLs that were fetched later are not included.
 */
import type { Outcome, Result } from '../../../schemas/types.ts';
import { isNotRead } from '../../../topology/fetch/outcome.ts';
import type { UrlRecord } from '../../../topology/frontier/changes/changes.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { compileNormalizer, type Normalizer } from '../../../topology/url/normalize.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import { abandonedUrls } from '../../runtime/crawl/abandoned-urls.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { type HostFailure, hostFailures } from '../../runtime/crawl/host-failures.ts';
import { inShell } from '../../runtime/in-shell.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { ownName } from '../../runtime/own-name.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import { printNotice } from '../progress/restore-text.ts';
import { RedirectsReported } from './lost-redirects.ts';
import { causeOf } from './outcome-cause.ts';
import type { WriteLine } from './write-line.ts';

const fine: ReadonlySet<string> = new Set(['fetched', 'notModified', 'redirect']);

export async function printFailures(
  crawl: ReadableCrawl,
  asJson: boolean,
  write: WriteLine,
  /** The options that name the crawl to other commands. */
  place: string,
): Promise<void> {
  const { log, codec, topics } = crawl;
  const topic = `${topics.crawl}.results`;
  let count = 0;
  let first = '';
  let notRead = 0;
  const { normalize, hopsMax } = await rulesOf(crawl);
  const redirects = new RedirectsReported();
  const failureOf = hostFailureOf(crawl);
  const print = async (url: string, kind: string, line: string): Promise<boolean> => {
    if (kind === 'notRead') notRead += 1;
    else count += 1;
    if (first === '' && kind !== 'notRead') first = url;
    return write(line);
  };
  for (let partition = 0; partition < topics.partitions; partition++) {
    const failed = new Map<string, FailedUrl>();
    for await (const { hostKey, record } of abandonedUrls(log, topics.crawl, partition))
      failed.set(record.url, abandonedWhy(record, await failureOf(hostKey)));
    const { start, end } = await log.offsets(topic, partition);
    if (start > 0)
      printNotice(`${topic}/${partition}: records before offset ${start} were trimmed, so older failures are missing`);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      const result: Result | undefined = await readRecord(codec, 'results', value, () => {});
      for (const outcome of result?.outcomes ?? []) {
        // A URL that was not started has no result yet.
        if (outcome.kind === 'returned') continue;
        if (fine.has(outcome.kind)) failed.delete(outcome.url);
        else failed.set(outcome.url, outcome);
        if (outcome.kind !== 'redirect') redirects.answered(outcome.url);
        else redirects.redirected(outcome.url, normalize(outcome.redirectUrl) ?? outcome.redirectUrl);
      }
    }
    for (const outcome of failed.values()) {
      const { url, kind, status, detail } = outcome;
      const isLeft = isNotRead(kind, status);
      const named = isLeft ? 'notRead' : kind;
      const line = asJson
        ? JSON.stringify({ url, kind: named, status, detail })
        : `${named}  ${url}  ${causeOf(outcome)}`;
      if (!(await print(url, named, line))) return;
    }
  }
  const answered = await answeredOf(crawl, redirects.ends(hopsMax));
  for (const { url, why } of redirects.lost(hopsMax, (one) => answered.has(one))) {
    const kind = 'tooManyRedirects';
    const line = asJson ? JSON.stringify({ url, kind, status: 0, detail: why }) : `${kind}  ${url}  ${why}`;
    if (!(await print(url, kind, line))) return;
  }
  if (asJson) return;
  const left = notRead === 0 ? '' : `; ${notRead} ${notRead === 1 ? 'has' : 'have'} skipped content types`;
  const more = () => `${ownName()} explain ${inShell(first)} ${place}`;
  printNotice(
    count === 0
      ? `no URL has failed${left}`
      : `${count} URL${count === 1 ? '' : 's'}${left}. Details of the first: ${more()}`,
  );
}

type FailedUrl = Pick<Outcome, 'url' | 'kind' | 'status' | 'detail'>;

/** Returns the failure of a host. The first call reads those of all hosts together: a crawl may give up thousands. */
function hostFailureOf({ log, codec, topics }: ReadableCrawl) {
  let all: ReturnType<typeof hostFailures> | undefined;
  return async (hostKey: string): Promise<HostFailure | undefined> => {
    all ??= hostFailures(log, codec, topics);
    return (await all).get(hostKey);
  };
}

/** A URL that was given up with its host: why the host could not be reached. */
function abandonedWhy({ url, outcome }: UrlRecord, failure: HostFailure | undefined): FailedUrl {
  const detail = failure?.detail ? `given up with its host: ${failure.detail}` : 'given up with its host';
  return { url, kind: failure?.kind ?? outcome, status: 0, detail };
}

async function rulesOf({ log, codec, topics }: ReadableCrawl): Promise<{ normalize: Normalizer; hopsMax: number }> {
  const { policy } = await readControl(log, codec, topics.crawl);
  const { normalize, hopsMax } = policy === null ? defaultPolicy() : parsePolicy(policy.json);
  return { normalize: compileNormalizer(normalize), hopsMax };
}

/** URLs with a response. */
async function answeredOf(
  { log, codec, topics }: ReadableCrawl,
  urls: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const answered = new Set<string>();
  if (urls.size === 0) return answered;
  const topic = `${topics.crawl}.results`;
  for (let partition = 0; partition < topics.partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      const result: Result | undefined = await readRecord(codec, 'results', value, () => {});
      for (const { url, kind } of result?.outcomes ?? []) if (kind !== 'returned' && urls.has(url)) answered.add(url);
    }
  }
  return answered;
}
