/** A served partition under calls of every kind, drawn from a seed: what it answers, lists and commits. */
import { ModelRig, type RigOptions } from '../../../../lab/model/model-rig.ts';
import { Chance, controlOf } from '../../../../lab/model/model-script.ts';
import type { Call, PutItem, QueueOrder } from '../../../../topology/frontier/decide/pull/calls.ts';
import { type ListCursor, type ListedUrl, listPage } from '../../../../topology/frontier/decide/pull/list-queue.ts';
import { metadataOf } from '../../../../topology/frontier/pull/payload.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';

const keys = ['a.test', 'b', 'c\u0000d', 'd.test:80'] as const;
const onDone = () => {};

export class ServedGame {
  readonly rig: ModelRig;
  readonly #chance: Chance;
  nowMs = 1_700_000_000_000;
  #listed: { readonly key: string; readonly urls: readonly ListedUrl[] } = { key: keys[0], urls: [] };

  constructor(seed: number, options: RigOptions) {
    this.#chance = new Chance(seed);
    this.rig = new ModelRig(this.nowMs, options);
    const chance = this.#chance;
    const config = {
      ...defaultPolicy(),
      ...{ sink: 'pull' as const, delayMs: chance.of([0, 1_000]), delayFactor: 0, version: 1 },
      ...{
        urlsPerHostMax: chance.of([null, 30]),
        queuedMax: chance.of([40, 10_000]),
        pageQuota: chance.of([null, 60]),
      },
    };
    this.rig.send('control', controlOf({ kind: 'policy', version: 1, payload: JSON.stringify(config) }));
    this.rig.step(this.nowMs, 0);
  }

  turn(): unknown {
    const { rig } = this;
    const chance = this.#chance;
    this.nowMs += chance.of([0, 10, 900, 2_000, 6_000, 90_000]);
    if (chance.percent(8)) rig.save();
    if (chance.percent(4)) rig.reopen(this.nowMs, chance.percent(50));
    if (chance.percent(5)) rig.send('control', controlOf({ kind: 'purge', hostKey: chance.of(keys), payload: '' }));
    const key = chance.of(keys);
    const calls = Array.from({ length: 1 + chance.below(3) }, () => this.#call(chance.of([key, chance.of(keys)])));
    for (const call of calls) rig.core.calls.add(call);
    const commits: string[] = [];
    const answered: Call[] = [];
    for (let steps = 0; steps < 6; steps++) {
      const step = rig.step(this.nowMs, 0);
      answered.push(...rig.core.calls.takeAnswered());
      if (step !== null) commits.push(step.commit.toString('latin1'));
    }
    rig.core.calls.takeAll();
    return { calls, answered: answered.map((call) => calls.indexOf(call)), commits, lists: this.#lists(key) };
  }

  #lists(key: string): unknown {
    const listed: ListedUrl[] = [];
    let cursor: ListCursor | undefined = null;
    while (cursor !== undefined) {
      const page: { readonly urls: readonly ListedUrl[]; readonly next: ListCursor | undefined } = this.rig.rows.run(
        listPage(this.rig.core.state, key, cursor),
      );
      listed.push(...page.urls);
      cursor = page.next;
    }
    this.#listed = { key, urls: listed };
    return listed.map(({ from, entry, dueAtMs }) => [from, entry.url, dueAtMs, metadataOf(entry.payload)]);
  }

  #item(key: string): PutItem {
    const chance = this.#chance;
    const known = chance.percent(40);
    const url = `http://a.com/${chance.below(45)}`;
    const dueAtMs = known && chance.percent(60) ? this.nowMs + chance.of([-1_000, 0, 500, 20_000]) : 0;
    const metadata = Buffer.from(chance.of(['', 'm', 'more of it']));
    return { known, key, url, metadata, dueAtMs, frontQueue: chance.below(8) };
  }

  #call(key: string): Call {
    const chance = this.#chance;
    const kind = chance.of(['put', 'put', 'put', 'get', 'get', 'queue'] as const);
    if (kind === 'put') {
      const items = Array.from({ length: 1 + chance.below(9) }, () => this.#item(key));
      return { kind, items, statuses: new Uint8Array(items.length), next: 0, onDone };
    }
    if (kind === 'get') {
      const [queues, urlsPerQueue] = [1 + chance.below(3), chance.of([1, 3, 40])];
      return {
        kind,
        key: chance.percent(70) ? key : null,
        queues,
        urlsPerQueue,
        leaseMs: 5_000,
        leases: [],
        urls: [],
        onDone,
      };
    }
    return { kind, order: this.#order(key), gone: 0, next: 0, onDone };
  }

  #order(key: string): QueueOrder {
    const chance = this.#chance;
    const some = this.#listed.urls.filter(() => chance.percent(20)).map(({ from, entry }) => ({ from, entry }));
    return chance.of<() => QueueOrder>([
      () => ({ kind: 'delay', key, delayMs: chance.of([0, 2_000]) }),
      () => ({ kind: 'block', key, untilMs: this.nowMs + chance.of([-1, 4_000]) }),
      () => ({ kind: 'limit', key, done: chance.of([0, 3, 20]) }),
      () => ({ kind: 'forget', key: this.#listed.key, urls: some }),
      () => ({ kind: 'forget', key: this.#listed.key, urls: some }),
      () => ({ kind: 'drop', key }),
      () => (chance.percent(30) ? { kind: 'dropAll' } : { kind: 'drop', key }),
    ])();
  }
}
