/**
 * A process in virtual time: owners, each with some requests at once, on one loop that works in the order of arrival.
 * What a request takes of the loop is a multiple of what is counted for its owner.
 */
import { loopShareLimits } from '../../../../services/fetcher/pace/loop-share-limits.ts';
import { LoopShares } from '../../../../services/fetcher/pace/loop-shares.ts';

export interface ModelOwner {
  readonly name: string;
  /** Requests at once. */
  readonly slots: number;
  /** Between the end of a request and the next of its slot. */
  readonly delayMs: number;
  readonly countedMs: number;
  /** Between the start of a request and its answer. Absent: none. */
  readonly latencyMs?: number;
}

export interface ModelOptions {
  readonly owners: readonly ModelOwner[];
  /** Time of the loop for each ms that is counted. */
  readonly real: number;
  readonly forMs: number;
  /** Requests are counted from here on. */
  readonly fromMs: number;
}

/** Returns requests a second of each owner, and the share of the time in which the loop worked. */
export function played({ owners, real, forMs, fromMs }: ModelOptions) {
  let [nowMs, workedMs, lookedAtMs, workedBeforeMs, workedFromMs] = [0, 0, 0, 0, 0];
  const shares = new LoopShares({
    nowMs: () => nowMs,
    utilization() {
      const share = (workedMs - workedBeforeMs) / (nowMs - lookedAtMs);
      [lookedAtMs, workedBeforeMs] = [nowMs, workedMs];
      return share;
    },
  });
  const slots = owners.flatMap((owner, at) => {
    const share = shares.join(owner.name);
    // Slots begin one after the other.
    return Array.from({ length: owner.slots }, (_, n) => ({
      owner,
      at,
      share,
      dueMs: (n * owner.delayMs) / owner.slots,
    }));
  });
  const done = owners.map(() => 0);
  const waiting = new Set(slots);
  const out: { readonly slot: (typeof slots)[number]; readonly answeredAtMs: number; ended(): void }[] = [];
  const queue: typeof out = [];
  while (nowMs < forMs) {
    for (const slot of waiting) {
      if (slot.dueMs > nowMs) continue;
      if (slot.share.isOver) slot.dueMs = nowMs + loopShareLimits.againMs;
      else {
        waiting.delete(slot);
        out.push({ slot, answeredAtMs: nowMs + (slot.owner.latencyMs ?? 0), ended: slot.share.begin() });
      }
    }
    for (const one of out.splice(0)) (one.answeredAtMs > nowMs ? out : queue).push(one);
    const next = queue.shift();
    if (next === undefined) {
      nowMs += 1;
      continue;
    }
    const { slot, ended } = next;
    const { owner, at, share } = slot;
    const tookMs = real * owner.countedMs;
    nowMs += tookMs;
    workedMs += tookMs;
    share.spend(owner.countedMs);
    ended();
    if (nowMs >= fromMs) done[at]! += 1;
    else workedFromMs = workedMs;
    slot.dueMs = nowMs + owner.delayMs;
    waiting.add(slot);
  }
  const seconds = (forMs - fromMs) / 1_000;
  return {
    rates: done.map((count) => count / seconds),
    worked: (workedMs - workedFromMs) / (forMs - fromMs),
    uses: shares.byOwner(),
  };
}
