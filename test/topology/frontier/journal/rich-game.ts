/**
 * A partition under inputs of every kind, drawn from a seed: policies with all that a policy can say, orders of operators,
 * links that look like those of the web, outcomes of every kind, restarts. What a naive frontier could not follow, too.
 */
import { Hand } from '../../../../lab/model/hand.ts';
import { ModelRig, type RigOptions } from '../../../../lab/model/model-rig.ts';
import { Chance, controlOf, randomRules } from '../../../../lab/model/model-script.ts';
import { blankLinkGroup } from '../../../../schemas/blank.ts';
import type { Control, Discovered, LinkGroup, Outcome, Result, Task } from '../../../../schemas/types.ts';
import { intents, outcomeKinds } from '../../../../schemas/types.ts';
import { feedSignature } from '../../../../topology/content/feed-signature.ts';
import { defaultBudget } from '../../../../topology/policy/budget.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl, scheduleNames } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';

const second = 1_000;
const hour = 3_600 * second;
const pauses = [0, 1, 50, 400, second, 5 * second, 31 * second, 120 * second, hour, 26 * hour] as const;
export const hosts = ['a.in.test', 'b.in.test', 'www.c.test:8080', 'd.other.test', '192.0.2.7', 'e.test'] as const;
const patterns = ['/p/#', '/cal/#/#', '//', '/s/', '/list?page=#'] as const;

/** A frontier decides of a 402 as of any client error; games stay those that were kept before it had a name. */
const drawnKinds = outcomeKinds.filter((kind) => kind !== 'paymentRequired');

export class RichGame {
  readonly chance: Chance;
  readonly rig: ModelRig;
  nowMs = 1_700_000_000_000;
  /** For all of the game: a page may not leave its schedule by a policy that has none. */
  readonly #revisits: boolean;
  #policies = 0;
  #tasks: Task[] = [];
  readonly #reported: Result[] = [];

  constructor(seed: number, options: RigOptions = {}) {
    this.chance = new Chance(seed);
    this.#revisits = this.chance.percent(65);
    this.rig = new ModelRig(this.nowMs, options);
    this.rig.open(this.nowMs);
    this.rig.send('control', this.#policy());
  }

  /** What it came to, as owners and readers of the changelog see it. */
  turn(): unknown {
    const { chance, rig } = this;
    this.nowMs += chance.of(pauses);
    if (chance.percent(8)) rig.send('control', this.#policy());
    if (chance.percent(30)) rig.send('control', this.#order());
    if (chance.percent(60)) rig.send('discovered', this.#links());
    this.#report();
    if (chance.percent(10)) rig.save();
    const before = chance.percent(4) ? this.#restart() : chance.percent(3) ? this.#goBack() : '';
    const demand = chance.below(5);
    if (chance.percent(15)) this.#lag(demand);
    const step = rig.step(this.nowMs, demand);
    this.#tasks.push(...(step?.tasks ?? []));
    const { core } = rig;
    const waits = [core.wakeAtMs(demand), core.full, core.hungry, core.blocked, core.state.quotaLeft];
    if (step === null) return { before, nothing: waits };
    const { commit, deadLetters, passedOn, controls, traced, tasks } = step;
    for (const { partition, record } of controls) if (partition === 0) rig.send('control', record);
    return { before, commit: commit.toString('latin1'), tasks, deadLetters, passedOn, controls, traced, waits };
  }

  /** What owners tell beside the inputs: tasks that were taken, and a log that has lost what was read of it. */
  #lag(demand: number): void {
    const { chance } = this;
    const { core } = this.rig;
    const leases = this.#tasks.map(({ leaseId }) => leaseId).filter(() => chance.percent(50));
    core.offerTaken({ position: chance.below(100), leases });
    core.wakeAtMs(demand);
  }

  #goBack(): string {
    const { chance, rig } = this;
    const topic = chance.of(['results', 'discovered'] as const);
    const { offset } = rig.core.state.positions[topic];
    if (offset === 0) return '';
    return rig.goBack(topic, Math.max(0, offset - 1 - chance.below(2)), this.nowMs).commit.toString('latin1');
  }

  #restart(): string {
    const endsLeases = this.chance.percent(50);
    this.rig.reopen(this.nowMs, endsLeases);
    if (endsLeases) this.#tasks = [];
    return this.rig.open(this.nowMs).commit.toString('latin1');
  }

  #policy(): Control {
    const { chance } = this;
    const { score: _, traps: __, ...plain } = defaultPolicy();
    const maybe = <T>(value: T) => (chance.percent(50) ? value : undefined);
    const scope = chance.of([
      { kind: 'all', names: [] },
      { kind: 'domain', names: ['in.test', 'c.test', 'e.test'] },
    ]);
    const policy = {
      ...plain,
      ...randomRules(chance),
      scope,
      version: ++this.#policies,
      normalize: { ...plain.normalize, www: chance.percent(20), sortParameters: chance.percent(50) },
      leadTimeMs: chance.of([5 * second, 60 * second]),
      queueShareMax: chance.of([1, 0.3]),
      pageQuota: chance.of([null, null, 40, 300]),
      score: maybe(chance.of([defaultScore, defaultScore, { kind: 'opic', tax: 0.15 }])),
      traps: maybe({
        ...defaultTraps,
        ...{ calendarSteps: 4, counterSteps: 6, tokenSteps: 4, parameterSets: 5, parameterVariants: 8, tokenValues: 5 },
        ...{ wasteFetches: 5, yieldFetches: 12, yieldShare: 0.4 },
      }),
      budget: maybe({
        ...defaultBudget,
        base: 6,
        perSource: 3,
        max: 20,
        refillMs: hour,
        key: chance.of(['host', 'domain']),
      }),
      recrawl: this.#revisits
        ? {
            ...defaultRecrawl,
            ...{ schedule: chance.of(scheduleNames), intervalMs: hour, minMs: 60 * second, maxMs: 9 * hour },
            ...{
              share: chance.of([0.1, 0.5, 1]),
              errorMs: chance.of([null, hour]),
              goneMs: chance.of([null, 2 * hour]),
            },
            rules: chance.of([
              [],
              [
                { url: '/p/', intervalMs: 600 * second },
                { kinds: ['error'], intervalMs: null },
              ],
            ]),
          }
        : undefined,
      sitemaps: maybe({
        everyMs: hour,
        rules: [{ hosts: ['in.test'], urls: ['/sitemap.xml', 'https://e.test/s.xml'] }],
      }),
      windows: maybe([{ hosts: ['e.test'], fromHour: 3, toHour: 20, utcOffsetMinutes: 60 }]),
      metadata: maybe([{ name: 'old', depthFrom: 3, offHost: true }]),
      trace: maybe({ ratio: 0.2, hosts: ['b.in.test'] }),
      paused: maybe(chance.percent(10)),
    };
    return controlOf({ kind: 'policy', version: policy.version, payload: JSON.stringify(policy) });
  }

  #order(): Control {
    const { chance } = this;
    const hostKey = chance.of(hosts);
    const amount = chance.of([-1, 0, 1, 2, 5, 50, 3 * second, 60 * second]);
    const kind = chance.of([
      ...(['blockHost', 'releaseHost', 'releaseHost', 'hostDelay', 'hostLimit', 'hostLeases', 'readSitemaps'] as const),
      ...(['budget', 'trap', 'releaseTrap', 'duplicates', 'raise', 'raise', 'purge', 'quota', 'quotaReport'] as const),
      ...(['seek', 'requeue', 'unknown'] as const),
    ]);
    const pattern = chance.of(patterns);
    const [lease] = this.#tasks.filter((task) => task.urls.length > 0);
    // Of one that is out, too.
    const url = lease !== undefined && chance.percent(40) ? chance.of(lease.urls).url : this.#url(hostKey);
    const payloads: Partial<Record<typeof kind, unknown>> = {
      trap: { pattern, detail: 'seen by eye' },
      releaseTrap: { pattern },
      duplicates: { prefixes: [{ prefix: pattern, pages: 4 + chance.below(4), duplicates: 4 }] },
      raise: { url },
      ...(chance.percent(90) && { purge: { url } }),
      seek: { group: 'frontier', topic: chance.of(['results', 'discovered']), offset: chance.below(4) },
    };
    const payload = payloads[kind] === undefined ? '' : JSON.stringify(payloads[kind]);
    const reported = { partition: chance.below(3), wanted: chance.below(20), known: chance.of([-1, 0, 30]) };
    const named = kind === 'purge' || kind === 'raise' ? hostKeyOf(url) : hostKey;
    return controlOf({ kind, hostKey: named, amount, payload, ...reported, version: chance.below(9) });
  }

  #url(hostKey: string): string {
    const { chance } = this;
    const n = chance.below(40);
    const path = chance.of([
      ...[
        '',
        `${n}`,
        `p/${n}`,
        `p/${n}/`,
        `cal/2024/${1 + (n % 12)}`,
        `list?page=${n}`,
        `dir/dir/dir/${n}`,
        'feed.xml',
      ],
      ...[`s/${(n * 7919).toString(16).padStart(16, 'a1b2c3d4')}/x`, `${n}.html`, `x?a=${n % 3}&b=${n % 5}&c=${n}`],
      ...[
        `q?${'abcdef'.slice(n % 6)}=1&z${n % 9}=2`,
        `docs/${n % 4}/${n}.pdf`,
        `%7Euser/${n}`,
        `i.png?utm_source=${n}`,
      ],
    ]);
    return `${chance.percent(80) ? 'https' : 'http'}://${hostKey}/${path}`;
  }

  #links(): Discovered {
    const { chance } = this;
    const group = (): LinkGroup => {
      const [hostKey, sourceHost] = [chance.of(hosts), chance.of(hosts)];
      const isSeed = chance.percent(15);
      return {
        ...blankLinkGroup,
        hostKey,
        sourceUrl: isSeed ? '' : this.#url(sourceHost),
        sourceKey: isSeed ? '' : sourceHost,
        depth: chance.below(4),
        hop: chance.percent(10) ? chance.below(4) : 0,
        front: chance.percent(10),
        intent: chance.percent(70) ? 'discover' : chance.of(intents),
        discoveredAtMs: this.nowMs - chance.below(hour),
        share: chance.percent(50) ? chance.below(100) / 1_000 : 0,
        traceparent: chance.percent(10) ? `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01` : '',
        links: Array.from({ length: 1 + chance.below(14) }, () => ({
          url: chance.percent(97) ? this.#url(hostKey) : 'http://[bad',
          lastModifiedMs: chance.percent(20) ? this.nowMs - chance.below(50 * hour) : 0,
          priority: chance.percent(60) ? -1 : chance.below(17),
          spelling: '',
        })),
      };
    };
    return { groups: Array.from({ length: 1 + chance.below(3) }, group) };
  }

  /** Mostly of leases that are out, sometimes of a part of one, sometimes what was sent before. */
  #report(): void {
    const { chance, rig } = this;
    this.#tasks = this.#tasks.filter((task) => {
      if (chance.percent(40)) return true;
      const result = this.#result(task);
      this.#reported.push(result);
      rig.send('results', result);
      return !result.last;
    });
    if (this.#reported.length > 0 && chance.percent(5)) rig.send('results', chance.of(this.#reported));
    if (chance.percent(3)) rig.send('results', this.#wish());
  }

  #result(task: Task): Result {
    const { chance } = this;
    const mood = chance.percent(70) ? null : chance.of(drawnKinds);
    const kind = () => mood ?? (chance.percent(75) ? 'fetched' : chance.of(drawnKinds));
    const kinds = task.urls.map(kind);
    const whole = Hand.resultAt(
      task,
      this.nowMs,
      chance.of([20, 100, 4 * second]),
      (index) => this.#more(task, index),
      {
        kind: kinds,
      },
    );
    const last = chance.percent(85);
    const shown = last && chance.percent(80) ? whole.outcomes.length : chance.below(whole.outcomes.length + 1);
    const { sinceMs } = task.sitemaps;
    return {
      ...whole,
      last,
      outcomes: whole.outcomes.slice(0, shown),
      completedAtMs: chance.percent(5) ? 0 : this.nowMs - chance.below(400),
      host: {
        robotsStatus: chance.of(['rules', 'unknown', 'unknown', 'disallowAll']),
        robotsHash: chance.of(['', 'aa', 'bb']),
        robotsFetchedAtMs: chance.percent(50) ? this.nowMs : 0,
        crawlDelayMs: chance.of([-1, -1, 1_500, 45 * second]),
        sitemaps: chance.percent(20) ? [`https://${task.hostKey}/map.xml`] : [],
        sitemapsSinceMs: chance.percent(70) ? sinceMs : 0,
        sitemapsLeft: chance.percent(20) ? 3 : 0,
      },
      robotsHops: chance.percent(5) ? [this.#hop(chance.of(hosts))] : [],
    };
  }

  #hop(hostKey: string) {
    return { url: `https://${hostKey}/robots.txt`, asked: ['https://e.test/robots.txt'], partition: 0 };
  }

  #wish(): Result {
    const hostKey = this.chance.of(hosts);
    const blank = Hand.resultAt(
      { epoch: 0, leaseId: 0, hostKey, urls: [] } as unknown as Task,
      this.nowMs,
      0,
      () => ({}),
    );
    return { ...blank, robotsHops: [this.#hop(hostKey)] };
  }

  #more(task: Task, index: number): Partial<Outcome> {
    const { chance } = this;
    return {
      status: chance.of([200, 200, 200, 0, 304, 404, 410, 429, 500]),
      bytes: chance.below(5_000),
      contentHash: chance.of(['', 'c1', 'c2', 'c3']),
      etag: chance.of(['', '"e1"', '"e2"']),
      lastModified: chance.of(['', 'Mon, 06 Nov 2023 08:00:00 GMT']),
      retryAfterMs: chance.percent(8) ? chance.of([second, 45 * second, 40 * hour]) : 0,
      redirectUrl: chance.percent(10) ? chance.of([task.urls[index]!.url, this.#url(chance.of(hosts))]) : '',
      links: chance.below(30),
      noindex: chance.percent(5),
      soft404: chance.percent(20),
      textSignature: chance.of([
        '',
        '',
        '0123456789abcdef',
        'fedcba9876543210',
        feedSignature(['https://e.test/1'], 60),
      ]),
      originOnly: chance.percent(3),
    };
  }
}
