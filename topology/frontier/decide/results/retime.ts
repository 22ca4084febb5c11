/**
 * Under a policy with another `recrawl`, pages that wait get their due times by it, counted from their last visits.
 *
 * The policy only puts the beginning of a walk into the state (decide/control/begin-retiming.ts). Each later step moves
 * a bounded number of pages, and then records where the next step goes on. So an owner that is killed, or another
 * policy, loses nothing: the due times follow from a page's record and the policy in force, and a page may be passed
 * twice. Records of pages are on disk, so they are read before the step.
 *
 * These keep their due times: pages that are due already, for a push may have asked for them; pages on lease, for the
 * result counts by the policy in force; pages that wait for a retry; and those that the policy never visits again.
 *
 * After the last retry, and after a third expired lease, a record does not show why its page waits. If the page waits
 * longer than its interval, and the interval has passed, it keeps its due time. If the interval has not passed, as after a
 * refetch, the wait counts as one for a fresh answer. Neither holds after an earlier change (`freshFromMs`).
 */
import type { Recrawl } from '../../../policy/recrawl/schedule.ts';
import { type PageRecord, readPageRecord, urlRowKey } from '../../changes/page-record.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { comparePlaces, type DuePlace, placeOfRow } from '../../recrawl/due-order.ts';
import type { Due } from '../../recrawl/due-table.ts';
import type { Retiming } from '../../recrawl/retiming.ts';
import type { FrontierState } from '../../state/state.ts';
import { ByteReader } from '../../storage/bytes.ts';
import type { StoreJob } from '../../storage/store-job.ts';
import type { Decision } from '../decision.ts';
import { freshSMaxOf, waitingVisitOf } from './after-visit.ts';
import { onDayWithRoom } from './visits.ts';

interface WaitingPage {
  readonly hi: number;
  readonly lo: number;
  /** undefined: it was on lease. */
  readonly page: PageRecord | undefined;
}

/** A part of the schedule, and where the next one begins; null: this was the last. */
export interface WaitingPages {
  readonly from: DuePlace;
  readonly pages: readonly WaitingPage[];
  readonly next: DuePlace | null;
}

/** Reads the next part of the schedule; null: no policy moves pages. */
export function* readWaiting({ recrawl }: FrontierState): StoreJob<WaitingPages | null> {
  const { retiming: from, table } = recrawl;
  if (from === null || from.done) return null;
  const most = frontierLimits.pagesRetimedPerStep;
  const rows = table.rowsFrom(from, most + 1).map((row) => table.at(row));
  const beyond = rows[most];
  const found = rows.slice(0, most).map(({ hi, lo, out }) => ({ hi, lo, out, page: recrawl.pageAt(hi, lo) }));
  const missing = found.filter(({ out, page }) => !out && page === undefined);
  const values = missing.length === 0 ? [] : yield { read: missing.map(({ hi, lo }) => urlRowKey(hi, lo)) };
  const read = new Map(missing.map((one, i) => [one, values[i]]));
  const pages = found.map((one) => {
    const value = read.get(one);
    const { hi, lo, page } = one;
    return { hi, lo, page: value == null ? page : readPageRecord(new ByteReader(value)) };
  });
  return { from, pages, next: beyond === undefined ? null : placeOfRow(beyond.hi, beyond.lo) };
}

export function decideRetiming(decision: Decision, waiting: WaitingPages | null): void {
  const { policy, state } = decision;
  const { retiming } = state.recrawl;
  if (waiting === null || policy === null || retiming === null || retiming.done) return;
  // Another policy has come since the part was read, and its walk begins at the first page.
  if (comparePlaces(waiting.from, retiming) !== 0) return;
  let { next } = waiting;
  for (const [index, one] of waiting.pages.entries()) {
    if (index > 0 && decision.bytes >= frontierLimits.commitBytesSoft) {
      next = placeOfRow(one.hi, one.lo);
      break;
    }
    retime(decision, policy.recrawl, retiming, one);
  }
  decision.emit({ kind: 'retime', ...retiming, ...next, done: next === null });
}

function retime(decision: Decision, recrawl: Recrawl | null, retiming: Retiming, { hi, lo, page: read }: WaitingPage) {
  const { hosts, recrawl: schedule } = decision.state;
  const row = schedule.table.find(hi, lo);
  // The step may have taken it out, or put it back after a visit.
  const page = schedule.pageAt(hi, lo) ?? read;
  if (row < 0 || page === undefined) return;
  const due = schedule.table.at(row);
  // A due time is rounded up, so a page that became due in this step is due at the end of its second.
  const isDue = due.dueS <= Math.ceil(decision.nowMs / 1_000);
  if (recrawl === null || due.out || isDue || page.failures > 0) return;
  const wantedS = dueUnder(decision, recrawl, retiming, due, page);
  if (wantedS === null || wantedS === due.dueS || (due.fromSitemap && wantedS > due.dueS)) return;
  const { key: hostKey } = hosts.at(due.host);
  decision.emit({ kind: 'due', hostKey, url: page.record.url, dueS: wantedS, fromSitemap: false });
}

/** When a page that waits is due, s, now at the earliest; null: never again. */
function dueUnder(
  { state, nowMs }: Decision,
  recrawl: Recrawl,
  { freshFromMs }: Retiming,
  due: Due,
  page: PageRecord,
): number | null {
  const { atMs } = page.record;
  const { intervalS } = page.history;
  const visit = waitingVisitOf(recrawl.config, page, due.duplicate);
  const next = recrawl.next(visit, state.recrawl.visitPrice);
  if (next === null) return null;
  const nowS = Math.floor(nowMs / 1_000);
  const usualS = dueAfter(atMs, Math.max(intervalS, visit.pollS ?? 0));
  const isLonger = intervalS > 0 && atMs > freshFromMs && due.dueS > usualS;
  // It was due since its last visit, and waits because of an error, or its answer was fresh for longer.
  if (isLonger && usualS <= nowS) return due.dueS;
  const freshS = isLonger ? Math.min(due.dueS, dueAfter(atMs, freshSMaxOf(recrawl.config.freshMsMax))) : 0;
  const wantedS = Math.max(dueAfter(atMs, next.delayS), freshS, nowS);
  return next.isBounded === true ? onDayWithRoom(state, recrawl.config, wantedS, due.dueS) : wantedS;
}

/** Rounded as a visit's due time is. */
function dueAfter(atMs: number, delayS: number): number {
  return Math.ceil((atMs + 1_000 * delayS) / 1_000);
}
