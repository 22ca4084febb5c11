/**
 * The URLs of a crawl without a page, each with its newest answer, the reason, and its place in the crawl's counts: from
 * the changelog and from `results`, as far back as these reach. URLs that were fetched later are not included.
 */
import type { Outcome, Result } from '../../../schemas/types.ts';
import { isNotRead } from '../../../topology/fetch/outcome.ts';
import { finals } from '../../../topology/frontier/decide/results/finals.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { compileNormalizer, type Normalizer } from '../../../topology/url/normalize.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { type HostFailure, hostFailures } from '../../runtime/crawl/host-failures.ts';
import type { CrawlTopics } from '../../runtime/crawl/requests.ts';
import { type UrlEnd, urlEnds } from '../../runtime/crawl/url-ends.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { RedirectsReported } from './lost-redirects.ts';
import { causeOf } from './outcome-cause.ts';

export interface ReadFailures {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: CrawlTopics;
}

/** The count that includes the URL (docs/counts.md); `queued`: it waits for a retry. */
export type FailedPlace = 'failed' | 'denied' | 'deadLettered' | 'redirected' | 'queued';

export interface FailedUrl {
  readonly url: string;
  /** `notRead`: a content type that is skipped. */
  readonly kind: string;
  readonly status: number;
  readonly detail: string;
  readonly place: FailedPlace;
  /** The reason, in words. */
  readonly cause: string;
}

type Answer = Pick<Outcome, 'url' | 'kind' | 'status' | 'detail'>;

const fine: ReadonlySet<string> = new Set(['fetched', 'notModified', 'redirect']);

export class FailedUrls {
  readonly #crawl: ReadFailures;
  readonly #warn: (text: string) => void;
  readonly #redirects = new RedirectsReported();
  /** URLs that were given up after redirects, by seen key. */
  readonly #circles = new Map<string, string>();
  /** Ends that the crawl has counted: more than it has such URLs if some were sent again. */
  endings = 0;

  /** `warn`: hears of parts that are not stored any more. */
  constructor(crawl: ReadFailures, warn: (text: string) => void) {
    this.#crawl = crawl;
    this.#warn = warn;
  }

  async *rows(): AsyncGenerator<FailedUrl> {
    const { topics } = this.#crawl;
    const { normalize, hopsMax } = await rulesOf(this.#crawl);
    const failureOf = hostFailureOf(this.#crawl);
    for (let partition = 0; partition < topics.partitions; partition++) {
      const answers = await this.#answers(partition, normalize);
      const { urls, isWhole } = await urlEnds(this.#crawl.log, topics.crawl, partition, (key) => answers.has(key));
      this.endings += urls.endings;
      for (const [key, end] of urls.ends) {
        const answer = answers.get(key);
        answers.delete(key);
        if (answer === undefined && end.record.outcome === 'redirect') this.#circles.set(key, end.record.url);
        else yield rowOf(answer ?? (await answerOf(end, failureOf)), places[end.record.status] ?? 'failed');
      }
      for (const [key, answer] of answers) {
        const place = urls.placeOf(key);
        // The counts have it where its last good visit put it.
        if (place === 'kept') continue;
        const settled = finals[answer.kind];
        if (place === 'waiting') yield rowOf(answer, 'queued');
        else yield rowOf(answer, places[settled ?? ''] ?? (isWhole ? 'queued' : 'deadLettered'));
      }
    }
    yield* this.#lostRedirects(hopsMax);
  }

  /** The newest answer of each URL, by seen key, that is no page. */
  async #answers(partition: number, normalize: Normalizer): Promise<Map<string, Answer>> {
    const { log, codec, topics } = this.#crawl;
    const topic = `${topics.crawl}.results`;
    const answers = new Map<string, Answer>();
    const { start, end } = await log.offsets(topic, partition);
    if (start > 0)
      this.#warn(`${topic}/${partition}: records before offset ${start} were trimmed, so older reasons are missing`);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      const result: Result | undefined = await readRecord(codec, 'results', value, () => {});
      for (const { url, kind, status, detail, redirectUrl } of result?.outcomes ?? []) {
        // A URL that was not started has no result yet.
        if (kind === 'returned') continue;
        if (fine.has(kind)) answers.delete(seenKey(url));
        else answers.set(seenKey(url), { url, kind, status, detail });
        if (kind !== 'redirect') this.#redirects.answered(url);
        else this.#redirects.redirected(url, normalize(redirectUrl) ?? redirectUrl);
      }
    }
    return answers;
  }

  async *#lostRedirects(hopsMax: number): AsyncGenerator<FailedUrl> {
    const answered = await answeredOf(this.#crawl, this.#redirects.ends(hopsMax));
    const row = (url: string, detail: string, place: FailedPlace) => ({
      ...{ url, kind: 'tooManyRedirects', status: 0, detail, place, cause: detail },
    });
    for (const { url, why } of this.#redirects.lost(hopsMax, (one) => answered.has(one)))
      yield row(url, why, this.#circles.delete(seenKey(url)) ? 'deadLettered' : 'redirected');
    for (const url of this.#circles.values()) yield row(url, 'redirects in a circle, or too many', 'deadLettered');
  }
}

const places: Readonly<Record<string, FailedPlace>> = { failed: 'failed', denied: 'denied', dead: 'deadLettered' };

function rowOf(answer: Answer, place: FailedPlace): FailedUrl {
  const { url, kind, status, detail } = answer;
  return { url, kind: isNotRead(kind, status) ? 'notRead' : kind, status, detail, place, cause: causeOf(answer) };
}

/** Returns the failure of a host. The first call reads those of all hosts together: a crawl may give up thousands. */
function hostFailureOf({ log, codec, topics }: ReadFailures) {
  let all: ReturnType<typeof hostFailures> | undefined;
  return async (hostKey: string): Promise<HostFailure | undefined> => {
    all ??= hostFailures(log, codec, topics);
    return (await all).get(hostKey);
  };
}

/** The answer of a URL without a stored one: for a URL that was given up with its host, that of the host. */
async function answerOf(
  { record: { url, outcome, httpStatus }, hostKey }: UrlEnd,
  failureOf: ReturnType<typeof hostFailureOf>,
): Promise<Answer> {
  if (hostKey === null) return { url, kind: outcome, status: httpStatus, detail: '' };
  const failure = await failureOf(hostKey);
  const detail = failure?.detail ? `given up with its host: ${failure.detail}` : 'given up with its host';
  return { url, kind: failure?.kind ?? outcome, status: 0, detail };
}

async function rulesOf({ log, codec, topics }: ReadFailures): Promise<{ normalize: Normalizer; hopsMax: number }> {
  const { policy } = await readControl(log, codec, topics.crawl);
  const { normalize, hopsMax } = policy === null ? defaultPolicy() : parsePolicy(policy.json);
  return { normalize: compileNormalizer(normalize), hopsMax };
}

/** URLs with a response. */
async function answeredOf(
  { log, codec, topics }: ReadFailures,
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
