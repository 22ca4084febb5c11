/**
 * Posts the events of crawls to their webhooks: in order within each crawl, one request at a time, until they are
 * accepted. Rejected events are posted again, with a wait that doubles, for as long as the crawl exists; nothing is
 * skipped.
 *
 * Events are posted at least once: after a kill, or a lost answer, the same events are posted again under the same
 * `webhook-id`.
 */
import type { Clock } from '../../../runtime/clock.ts';
import type { CrawlFile, Webhook } from '../crawl-file.ts';
import type { Documents } from '../documents/documents.ts';
import { beginning, type EventPosition, isBefore, positionText } from '../events/event-position.ts';
import type { EventReader } from '../events/event-reader.ts';
import { eventId } from '../events/incarnation.ts';
import type { EventBounds, SomeEvents } from '../events/read-events.ts';
import type { Fleet } from '../fleet.ts';
import { signedHeaders } from '../signature.ts';
import { readPlace, type WebhookPlace, writePlace } from './webhook-file.ts';
import { webhookLimits } from './webhook-limits.ts';

/** A receiver's response. */
export interface Posted {
  readonly status: number;
  /** Seconds, or a date. Empty: none. */
  readonly retryAfter: string;
}

export interface WebhookSenderOptions {
  readonly fleet: Pick<Fleet, 'file' | 'names'>;
  /** Storage of the webhooks' positions. */
  readonly documents: Documents;
  readonly events: EventReader;
  readonly clock: Clock;
  /** Rejects with the reason if there was no answer. It refuses addresses that fetches may not contact. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted>;
  say(text: string): void;
}

/** The status of a webhook, as the API answers it. */
export interface WebhookStatus {
  readonly url: string;
  readonly delivered: string;
  readonly failures: number;
  readonly failure: string | null;
  readonly nextAtMs: number | null;
}

interface Sending {
  /** undefined: not read yet. */
  place: WebhookPlace | undefined;
  readonly createdAtMs: number;
  /** Number of the turn in which it last posted; 0: never. */
  turn: number;
  failures: number;
  failure: string | null;
  nextAtMs: number;
  /** The delivery under way. */
  under: Promise<void> | undefined;
  isGone: boolean;
}

export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #all = new Map<string, Sending>();
  readonly #stopping = new AbortController();
  readonly #underWay = new Map<string, number>();
  #cut: () => void = () => {};
  /** Resolves when requests under way are given up. */
  readonly #over = new Promise<void>((resolve) => {
    this.#cut = resolve;
  });
  #requests = 0;
  #turns = 0;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /** Posts until `stop`. */
  async run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      for (const file of this.#inTurn()) this.#look(file, file.webhook);
      await clock.sleepUntil(clock.nowMs() + webhookLimits.lookMs, signal);
    }
    await Promise.all([...this.#all.values()].map(({ under }) => under));
  }

  /** Stops. A request under way has `stopMs` left; the next process posts its events again, under the same id. */
  stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    const { clock } = this.#options;
    void clock.sleepUntil(clock.nowMs() + webhookLimits.stopMs).then(this.#cut);
  }

  status(file: CrawlFile): WebhookStatus | null {
    const { name, webhook } = file;
    if (webhook === null) return null;
    const { place, failures = 0, failure = null, nextAtMs = 0 } = this.#all.get(name) ?? {};
    // The beginning is the same for all crawls, so it has no id.
    const isBegun = place !== undefined && isBefore(beginning, place.delivered);
    const delivered = isBegun ? eventId(file, place.delivered) : positionText(beginning);
    return { url: webhook.url, delivered, failures, failure, nextAtMs: failures === 0 ? null : nextAtMs };
  }

  /** Forgets a crawl. Resolves when nothing is posted for the crawl, or written in its folder, any more. */
  async forget(name: string): Promise<void> {
    const sending = this.#all.get(name);
    if (sending === undefined) return;
    sending.isGone = true;
    await sending.under;
    this.#all.delete(name);
    this.#options.events.forget(name);
  }

  /**
   * Returns the crawls with a webhook; those that have waited longest for a place come first. A crawl needs a place
   * even to find out that it has nothing to post.
   */
  #inTurn(): FileWithWebhook[] {
    const { fleet } = this.#options;
    const turnOf = ({ name }: CrawlFile) => this.#all.get(name)?.turn ?? 0;
    const files = [...fleet.names].map((name) => fleet.file(name)).filter(hasWebhook);
    return files.sort((a, b) => turnOf(a) - turnOf(b));
  }

  #look(file: CrawlFile, webhook: Webhook): void {
    const { clock, say } = this.#options;
    const { name, owner, createdAtMs } = file;
    let sending = this.#all.get(name);
    if (sending === undefined || sending.createdAtMs !== createdAtMs) {
      sending = {
        ...{
          place: undefined,
          createdAtMs,
          turn: 0,
          failures: 0,
          failure: null,
          nextAtMs: 0,
          under: undefined,
          isGone: false,
        },
      };
      this.#all.set(name, sending);
    }
    if (sending.under !== undefined || sending.isGone || sending.nextAtMs > clock.nowMs()) return;
    if (this.#isFull(owner)) return;
    const one = sending;
    one.turn = ++this.#turns;
    this.#requests++;
    this.#underWay.set(owner, (this.#underWay.get(owner) ?? 0) + 1);
    one.under = this.#deliver(one, file, webhook)
      .catch((error: Error) => {
        this.#failed(one, error.message, 0);
        say(`${name}: its webhook is paused: ${error.message}`);
      })
      .finally(() => {
        one.under = undefined;
        this.#requests--;
        const left = this.#underWay.get(owner)! - 1;
        if (left === 0) this.#underWay.delete(owner);
        else this.#underWay.set(owner, left);
      });
  }

  /** Posts until no event is left for now, an attempt fails, or others wait for the place. */
  async #deliver(one: Sending, { name, owner }: CrawlFile, webhook: Webhook): Promise<void> {
    const { documents, events, say } = this.#options;
    one.place ??= await readPlace(documents, name);
    while (!one.isGone && !this.#stopping.signal.aborted) {
      const { delivered, sending }: WebhookPlace = one.place;
      // The read fails if the crawl stops at this moment. The next look finds it stopped.
      const some: SomeEvents | null | undefined = await events
        .read(name, delivered, { createdAtMs: one.createdAtMs, ...boundsOf(webhook, sending) })
        .catch(() => null);
      if (some === null || some === undefined) return;
      // All events to post were deleted meanwhile, or the crawl is starting and its log cannot be read yet.
      if (some.events.length === 0) {
        if (isBefore(delivered, some.next)) one.place = { delivered: some.next, sending: null };
        return;
      }
      if (sending === null) await writePlace(documents, name, (one.place = { delivered, sending: some.next }));
      if (one.isGone) return;
      const id = `${name}-${one.createdAtMs.toString(36)}-${positionText(delivered)}-${positionText(some.next)}`;
      const why = await this.#post(webhook, id, bodyOf(name, one.createdAtMs, some));
      if (why !== null) {
        this.#failed(one, why.failure, why.waitMs);
        if (one.failures === 1)
          say(`${name}: its webhook at ${new URL(webhook.url).host} does not accept events: ${why.failure}`);
        return;
      }
      if (one.failures > 0) say(`${name}: its webhook accepts events again`);
      one.failures = 0;
      one.failure = null;
      await writePlace(documents, name, (one.place = { delivered: some.next, sending: null }));
      if (this.#isFull(owner)) return;
    }
  }

  /** True if no place is free for this owner. */
  #isFull(owner: string): boolean {
    return (this.#underWay.get(owner) ?? 0) >= webhookLimits.ofOwnerMax || this.#requests >= webhookLimits.requestsMax;
  }

  /** Posts events. null: they were accepted. */
  async #post(
    { url, secret }: Webhook,
    id: string,
    body: string,
  ): Promise<{ readonly failure: string; readonly waitMs: number } | null> {
    const { clock, post } = this.#options;
    const nowMs = clock.nowMs();
    const headers = { 'content-type': 'application/json', ...signedHeaders(secret, id, nowMs, body) };
    try {
      const answer = await Promise.race([post(url, headers, body), this.#over]);
      if (answer === undefined) return { failure: 'the fleet stopped before the webhook answered', waitMs: 0 };
      const { status, retryAfter } = answer;
      if (status >= 200 && status < 300) return null;
      return { failure: `it answered with status ${status}`, waitMs: waitMsOf(retryAfter, clock.nowMs()) };
    } catch (error) {
      return { failure: (error as Error).message, waitMs: 0 };
    }
  }

  #failed(one: Sending, failure: string, waitMs: number): void {
    const { retryMinMs, retryMaxMs, failureCharsMax } = webhookLimits;
    const ownMs = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(one.failures, 30));
    one.failures++;
    one.failure = failure.slice(0, failureCharsMax);
    one.nextAtMs = this.#options.clock.nowMs() + Math.max(ownMs, waitMs);
  }
}

type FileWithWebhook = CrawlFile & { readonly webhook: Webhook };

function hasWebhook(file: CrawlFile | undefined): file is FileWithWebhook {
  return file?.webhook != null;
}

/** Events that were sent before are sent again as the same request, even if there are more by now. */
function boundsOf({ content }: Webhook, sending: EventPosition | null): EventBounds {
  const { eventsMax: most, charsSoft } = webhookLimits;
  if (sending === null) return { content, most, charsSoft };
  return { content, most: Number.POSITIVE_INFINITY, charsSoft: Number.POSITIVE_INFINITY, to: sending };
}

function bodyOf(crawl: string, createdAtMs: number, { events }: SomeEvents): string {
  const timestamp = new Date(events.at(-1)!.atMs).toISOString();
  return JSON.stringify({ type: 'crawl.events', timestamp, data: { crawl, createdAtMs, events } });
}

function waitMsOf(retryAfter: string, nowMs: number): number {
  const ms = /^\d{1,9}$/.test(retryAfter) ? 1_000 * Number(retryAfter) : Date.parse(retryAfter) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), webhookLimits.retryAfterMaxMs) : 0;
}
