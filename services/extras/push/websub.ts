/**
 * A WebSub subscriber (W3C Recommendation 2018): finds a topic's hub, subscribes, answers the hub's verification, and
 * turns each delivery with a valid signature into URLs that are due at once. Subscriptions are renewed before they end.
 *
 * A delivery needs `X-Hub-Signature` over its bytes, keyed by a secret that the hub knows (§5.2, §7.1); others get the
 * same answer and are dropped. The delivered content is not used: the pages that it names are fetched.
 *
 * A feed speaks only for its own origin: its own URL (`rel=self`) must be there, or it could take over another's
 * subscription. Each topic has a separate callback and secret at each hub. Pages of other sites in a delivery are
 * links, as in a fetched feed: the feed chooses its hub, and the hub could otherwise cause repeated fetches of a
 * stranger's pages.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { hubLinks } from '../../../topology/extras/push/hub-links.ts';
import { parseSitemap } from '../../../topology/parse/sitemap.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { HubRequest } from './hub-request.ts';
import { type News, newsOf } from './news.ts';
import { readSubscriptions, type Subscription, writeSubscriptions } from './subscription-file.ts';

export interface WebsubOptions {
  /** File of the subscriptions. */
  readonly path: string;
  /** URL at which hubs reach this service, without a trailing slash. */
  readonly callback: string;
  readonly clock: Clock;
  readonly request: HubRequest;
  readonly push: (news: News) => Promise<unknown>;
  readonly say: (text: string) => void;
}

/** Requested lease; hubs choose their own. */
const leaseSeconds = 10 * 86_400;
/** Share of a lease that is left when it is renewed. */
const renewShare = 0.2;
/** Wait before a hub that did not verify is asked again. */
const patienceMs = 3_600_000;
const lookEveryMs = 60_000;
const entriesMax = 1_000;

export class Websub {
  readonly #options: WebsubOptions;
  #subscriptions: Subscription[];
  #saving: Promise<void> = Promise.resolve();

  private constructor(options: WebsubOptions, subscriptions: Subscription[]) {
    this.#options = options;
    this.#subscriptions = subscriptions;
  }

  static async open(options: WebsubOptions): Promise<Websub> {
    return new Websub(options, await readSubscriptions(options.path));
  }

  get subscriptions(): readonly Subscription[] {
    return this.#subscriptions;
  }

  /** Resolves once the hub has accepted the request, which it verifies later. Rejects if the topic has no hub. */
  async subscribe(url: string): Promise<Subscription> {
    const { request, clock } = this.#options;
    const answer = await request(url);
    const { hubs, self } = hubLinks(answer.links, answer.text, url);
    const [hub] = hubs;
    if (hub === undefined) {
      const message = `${url} names no WebSub hub (status ${answer.status}), so it cannot be subscribed to; the crawl polls its sitemap or feed instead`;
      throw new CrawlstreamError('INVALID_ARGUMENT', message);
    }
    if (new URL(self).origin !== new URL(url).origin) {
      const message = `${url} declares ${self} as its own URL, on another origin: to follow that feed, subscribe to that URL`;
      throw new CrawlstreamError('INVALID_ARGUMENT', message);
    }
    const before = this.#subscriptions.find((one) => one.topic === self && one.hub === hub);
    const fresh = { pushes: 0, forged: 0, state: 'asked' as const, expiresAtMs: 0 };
    const subscription: Subscription = {
      ...(before ?? { ...fresh, id: secret(16), secret: secret(32) }),
      topic: self,
      hub,
      askedAtMs: clock.nowMs(),
    };
    // Saved before the request to the hub, since the hub may verify at once.
    await this.#put(subscription);
    await this.#ask(subscription);
    return subscription;
  }

  /** Answers a hub's verification: returns the challenge, or null if this crawl did not ask for the subscription. */
  async verify(id: string, query: Readonly<Record<string, string | undefined>>): Promise<string | null> {
    const one = this.#find(id);
    const { 'hub.mode': mode, 'hub.topic': topic, 'hub.challenge': challenge } = query;
    if (one === undefined || topic !== one.topic) return null;
    if (mode === 'denied') {
      await this.#put({ ...one, state: 'denied' });
      return '';
    }
    if (mode !== 'subscribe' || challenge === undefined) return null;
    const seconds = Number(query['hub.lease_seconds']);
    const lease = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 10 * 365 * 86_400) : leaseSeconds;
    // The answer of a hub that the topic has left since then does not concern its new hub.
    const isOlder = (other: Subscription) => other.topic === one.topic && other.askedAtMs <= one.askedAtMs;
    this.#subscriptions = this.#subscriptions.filter((other) => other.id === id || !isOlder(other));
    await this.#put({ ...one, state: 'active', expiresAtMs: this.#options.clock.nowMs() + 1_000 * lease });
    return challenge;
  }

  /**
   * Takes the content of a topic: the topic and its entries are due. False: there is no such subscription, and the hub
   * may drop it.
   */
  async deliver(id: string, body: Buffer, signature: string | undefined, contentType: string | null): Promise<boolean> {
    const one = this.#find(id);
    if (one === undefined) return false;
    if (!isSigned(body, signature, one.secret)) {
      await this.#put({ ...one, forged: one.forged + 1 });
      this.#options.say(`a delivery for ${one.topic} was dropped: its signature is missing or wrong`);
      return true;
    }
    const { entries } = parseSitemap(body, contentType, one.topic);
    await this.#options.push(newsOf(one.topic, [...new Set(entries.slice(0, entriesMax).map(({ url }) => url))]));
    await this.#put({ ...(this.#find(id) ?? one), pushes: one.pushes + 1 });
    return true;
  }

  /** Renews leases that end soon, and asks hubs again that have not answered, until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    const { clock, say } = this.#options;
    while (!signal.aborted) {
      for (const one of this.#subscriptions.filter((subscription) => isDue(subscription, clock.nowMs()))) {
        try {
          const asked = { ...one, askedAtMs: clock.nowMs() };
          await this.#put(asked);
          await this.#ask(asked);
        } catch (error) {
          say(`subscription to ${one.topic}: ${(error as Error).message}`);
        }
      }
      await clock.sleepUntil(clock.nowMs() + lookEveryMs, signal);
    }
    await this.#saving;
  }

  async #ask({ id, hub, topic, secret: key }: Subscription): Promise<void> {
    const { status, text } = await this.#options.request(hub, {
      'hub.callback': `${this.#options.callback}/websub/${id}`,
      'hub.mode': 'subscribe',
      'hub.topic': topic,
      'hub.lease_seconds': String(leaseSeconds),
      'hub.secret': key,
    });
    if (status >= 200 && status < 300) return;
    const said = text.slice(0, 200).replaceAll(/\s+/g, ' ');
    throw new CrawlstreamError(
      'HUB_UNREACHABLE',
      `WebSub hub ${hub} refused a subscription with status ${status}: ${said}; it is asked again in an hour`,
    );
  }

  #find(id: string): Subscription | undefined {
    return this.#subscriptions.find((one) => one.id === id);
  }

  /** Saves one after another. Each call reports its success; a failed save does not prevent the next. */
  #put(subscription: Subscription): Promise<void> {
    this.#subscriptions = [...this.#subscriptions.filter(({ id }) => id !== subscription.id), subscription];
    const all = this.#subscriptions;
    this.#saving = this.#saving.catch(() => {}).then(() => writeSubscriptions(this.#options.path, all));
    return this.#saving;
  }
}

function isDue({ state, askedAtMs, expiresAtMs }: Subscription, nowMs: number): boolean {
  if (state === 'denied' || nowMs - askedAtMs < patienceMs) return false;
  return state === 'asked' || expiresAtMs - nowMs < renewShare * (expiresAtMs - askedAtMs);
}

const methods = new Set(['sha1', 'sha256', 'sha384', 'sha512']);

/** `X-Hub-Signature: method=hexadecimal`, compared in constant time. */
export function isSigned(body: Buffer, signature: string | undefined, key: string): boolean {
  const [, method, hex] = /^([a-z0-9]+)=([0-9a-f]+)$/i.exec(signature ?? '') ?? [];
  if (method === undefined || !methods.has(method.toLowerCase())) return false;
  const wanted = createHmac(method.toLowerCase(), key).update(body).digest();
  const given = Buffer.from(hex!, 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function secret(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
