/** Common values of each host's pages (common-slots.ts): recently used hosts in memory, the others in the store. */

import { contentLimits } from '../../../topology/content/content-limits.ts';
import { type CommonSlots, noCommonSlots, withPage } from '../../../topology/extras/dedup/common-slots.ts';
import { type Minhash, slots } from '../../../topology/extras/dedup/minhash.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { commonKey } from './rows.ts';

export interface HostCommons {
  of(hostKey: string): Promise<CommonSlots>;
  learn(hostKey: string, page: Minhash): Promise<void>;
  /** Rows that changed since the last call. */
  settle(): StoreOp[];
  forget(hostKey: string, ops: StoreOp[]): void;
}

export function openHostCommons(store: StateStore): HostCommons {
  /** Least recently used first. */
  const held = new Map<string, CommonSlots>();
  const learnt = new Map<string, CommonSlots>();
  const keep = (hostKey: string, common: CommonSlots) => {
    held.delete(hostKey);
    held.set(hostKey, common);
    if (held.size > contentLimits.commonHostsMax) held.delete(held.keys().next().value!);
  };
  const of = async (hostKey: string): Promise<CommonSlots> => {
    let common = learnt.get(hostKey) ?? held.get(hostKey);
    if (common === undefined) {
      const row = await store.get(commonKey(hostKey));
      common = row === undefined ? noCommonSlots() : fromRow(row);
    }
    keep(hostKey, common);
    return common;
  };
  return {
    of,
    async learn(hostKey, page) {
      const common = withPage(await of(hostKey), page);
      learnt.set(hostKey, common);
      keep(hostKey, common);
    },
    settle() {
      const ops = [...learnt].map(([hostKey, common]) => ({ key: commonKey(hostKey), value: toRow(common) }));
      learnt.clear();
      return ops;
    },
    forget(hostKey, ops) {
      held.delete(hostKey);
      learnt.delete(hostKey);
      ops.push({ key: commonKey(hostKey), value: null });
    },
  };
}

function toRow({ pages, values, leads }: CommonSlots): Buffer {
  const row = Buffer.allocUnsafe(4 + 3 * slots);
  row.writeUInt32BE(pages);
  for (let slot = 0; slot < slots; slot++) {
    row.writeUInt16BE(values[slot]!, 4 + 3 * slot);
    row[6 + 3 * slot] = leads[slot]!;
  }
  return row;
}

function fromRow(row: Buffer): CommonSlots {
  const values = new Uint16Array(slots);
  const leads = new Uint8Array(slots);
  for (let slot = 0; slot < slots; slot++) {
    values[slot] = row.readUInt16BE(4 + 3 * slot);
    leads[slot] = row[6 + 3 * slot]!;
  }
  return { pages: row.readUInt32BE(0), values, leads };
}
