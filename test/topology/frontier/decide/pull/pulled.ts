/** A served crawl's calls, decided one by one on a state in memory. */
import type {
  GetCall,
  PutCall,
  PutItem,
  QueueCall,
  QueueOrder,
} from '../../../../../topology/frontier/decide/pull/calls.ts';
import { decideGet } from '../../../../../topology/frontier/decide/pull/gets.ts';
import { decideOrder } from '../../../../../topology/frontier/decide/pull/orders.ts';
import { decidePuts, type PutReads, type PutStop } from '../../../../../topology/frontier/decide/pull/puts.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { type Decided, Deciding, filled, key, urlAt } from '../deciding.ts';

const onDone = () => {};

export const nothingRead = (): PutReads => ({ known: new Map(), forgotten: new Map() });

export const itemAt = (n: number, more: Partial<PutItem> = {}): PutItem => ({
  ...{ known: false, key, url: urlAt(n), metadata: Buffer.from('m'), dueAtMs: 0, frontQueue: 3 },
  ...more,
});

/** No delay, where the policy does not say otherwise. */
export function pulled(config: Partial<PolicyConfig> = {}): Deciding {
  return new Deciding({ sink: 'pull', delayMs: 0, ...config });
}

export function put(deciding: Deciding, items: readonly PutItem[], read = nothingRead()) {
  const call: PutCall = { kind: 'put', items, statuses: new Uint8Array(items.length).fill(9), next: 0, onDone };
  let stop: PutStop | undefined;
  const said = deciding.decide(
    (decision) => decidePuts(decision, call, read),
    (returned) => {
      stop = returned;
    },
  );
  return { ...said, stop, call, statuses: [...call.statuses] };
}

/** `bytes`: what the commit holds before. */
export function get(deciding: Deciding, more: Partial<GetCall> = {}, bytes = 0) {
  const call: GetCall = {
    ...{ kind: 'get', key: null, queues: 1, urlsPerQueue: 10, leaseMs: 5_000, leases: [], urls: [], onDone },
    ...more,
  };
  let isDone: boolean | undefined;
  const said = deciding.decide(
    (decision) => decideGet(bytes === 0 ? decision : filled(decision, bytes), call),
    (returned) => {
      isDone = returned;
    },
  );
  return { ...said, isDone, call };
}

/** `bytes`: what the commit holds before. */
export function order(deciding: Deciding, one: QueueOrder, next = 0, bytes = 0) {
  const call: QueueCall = { kind: 'queue', order: one, gone: 0, next, onDone };
  let isDone: boolean | undefined;
  const said: Decided = deciding.decide(
    (decision) => decideOrder(bytes === 0 ? decision : filled(decision, bytes), call),
    (returned) => {
      isDone = returned;
    },
  );
  return { ...said, isDone, gone: call.gone, next: call.next };
}
