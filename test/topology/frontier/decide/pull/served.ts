/** A served partition with one queue, called by hand, whose reads of rows are counted. */
import { ModelRig, rigKey } from '../../../../../lab/model/model-rig.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import type { Call, GetCall, PutItem, QueueOrder } from '../../../../../topology/frontier/decide/pull/calls.ts';
import { defaultSeen } from '../../../../../topology/frontier/seen/seen-config.ts';
import { FrontierState } from '../../../../../topology/frontier/state/state.ts';
import type { StoreJob } from '../../../../../topology/frontier/storage/store-job.ts';
import { defaultPolicy } from '../../../../../topology/policy/policy.ts';

export const key = 'a.test';
export const urlAt = (n: number) => `http://a.test/${n}`;
const onDone = () => {};

export class Served {
  readonly rig: ModelRig;
  nowMs = 1_000_000;

  /** `queueBytes`: memory of queues that are on disk as well. */
  constructor(queueBytes: number) {
    const newState = () => new FrontierState(rigKey, defaultSeen, queueBytes);
    this.rig = new ModelRig(this.nowMs, { newState });
    const config = { ...defaultPolicy(), sink: 'pull' as const, delayMs: 0, delayFactor: 0, version: 1 };
    this.rig.send('control', controlOf({ kind: 'policy', version: 1, payload: JSON.stringify(config) }));
    this.rig.step(this.nowMs, 0);
  }

  get state(): FrontierState {
    return this.rig.core.state;
  }

  ask<T extends Call>(call: T): T {
    this.rig.core.calls.add(call);
    for (let answered: Call[] = []; !answered.includes(call); answered = this.rig.core.calls.takeAnswered())
      this.rig.step(this.nowMs, 0);
    return call;
  }

  put(numbers: readonly number[], known = false, dueAtMs = 0): number[] {
    const items = numbers.map<PutItem>((n) => {
      return { known, key, url: urlAt(n), metadata: Buffer.from('m'), dueAtMs, frontQueue: n % 3 };
    });
    return [...this.ask({ kind: 'put', items, statuses: new Uint8Array(items.length), next: 0, onDone }).statuses];
  }

  get(urlsPerQueue: number): string[] {
    const call: GetCall = { kind: 'get', key, queues: 1, urlsPerQueue, leaseMs: 5_000, leases: [], urls: [], onDone };
    return this.ask(call).urls.map(({ entry }) => entry.url);
  }

  order(order: QueueOrder): number {
    return this.ask({ kind: 'queue', order, gone: 0, next: 0, onDone }).gone;
  }

  /** Writes all of the checkpoint. */
  save(): void {
    this.rig.save();
    for (let n = 0; n < 100_000 && this.rig.isSaving; n++) {
      this.order({ kind: 'delay', key, delayMs: n % 2 });
    }
    this.order({ kind: 'delay', key, delayMs: 0 });
  }

  /** The result of a job, and how many rows it read. */
  counted<T>(job: StoreJob<T>): { readonly result: T; readonly reads: number } {
    const { rows } = this.rig;
    const before = rows.readCount;
    const result = rows.run(job);
    return { result, reads: rows.readCount - before };
  }
}
