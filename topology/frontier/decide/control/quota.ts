/**
 * The page quota, shared by all partitions in small steps through `control`.
 *
 * Partition 0 keeps the book: how much each partition was granted and has returned, as totals that only grow. So a
 * message that is sent twice, or again after a crash, changes nothing. A partition spends at grant, is refunded by an
 * outcome that is not a page, asks when it runs out, and returns what it cannot use. docs/design.md §4.13.
 *
 * A changelog may lose its newest records, and its side of the book and its commit numbers then go back, too. So
 * nothing depends on the order of messages. A partition asks for a total grant. Each message also has the sender's
 * knowledge of the other side's total. Both sides keep the larger value. If the other side knows less, the value is
 * sent again. Pages handed out twice before that can exceed the quota, by the amount that the log lost.
 */
import type { Control } from '../../../../schemas/types.ts';
import type { FrontierState, QuotaRow } from '../../state/state.ts';
import { emptyControl } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';

const emptyRow: QuotaRow = { granted: 0, returned: 0, wanted: 0, version: 0 };
/** Pages that a partition asks for at once: enough for some leases, few enough for an even distribution. */
const askMax = 64;

/** The side of this partition: asks for pages, or returns them. */
export function decideQuota(decision: Decision, pageQuota: number | null): void {
  const { state, identity } = decision;
  if (pageQuota === null) return;
  if (identity.partitions === 1) {
    if (state.counters.quotaGranted !== pageQuota) {
      decision.emit({ kind: 'quota', granted: pageQuota, returned: 0, wanted: 0 });
    }
    return;
  }
  const { counters } = state;
  const waiting = counters.queued + counters.retrying;
  const left = state.quotaLeft;
  if (left <= 0 && waiting > 0 && state.quota.wanted === 0) {
    setQuota(decision, counters.quotaReturned, Math.min(waiting, askMax));
  } else if (left > 0 && waiting === 0 && counters.leased === 0) {
    setQuota(decision, counters.quotaReturned + left, 0);
  }
}

function setQuota(decision: Decision, returned: number, wanted: number): void {
  decision.emit({ kind: 'quota', granted: decision.state.counters.quotaGranted, returned, wanted });
  decision.controls.push({ partition: 0, record: reportOf(decision.state, decision.identity.partition, decision.seq) });
}

/** Partition 0: enters a report. */
export function decideQuotaReport(decision: Decision, report: Control): void {
  const { partition, known, wanted } = report;
  // Without this check, a partition that does not exist would get a share.
  if (partition < 0 || partition >= decision.identity.partitions) return decision.tally('unknownControls');
  // A partition can return at most what it was granted.
  const amount = Math.max(0, known < 0 ? report.amount : Math.min(report.amount, known));
  const row = decision.state.quota.book.get(partition) ?? emptyRow;
  if (known < 0) return decideNumberedReport(decision, report, row);
  const granted = Math.max(row.granted, known);
  const asked = Math.max(row.granted + row.wanted, known + wanted);
  const next = { granted, returned: Math.max(row.returned, amount), wanted: asked - granted };
  if (next.granted !== row.granted || next.returned !== row.returned || next.wanted !== row.wanted) {
    decision.emit({ kind: 'quotaBook', partition, ...next, version: Math.max(row.version, report.version) });
  }
  if (known < granted || amount < row.returned) {
    decision.controls.push({ partition, record: grantOf(next, decision.nowMs) });
  }
}

/** A release without totals sent this: its messages are distinguished by their numbers. */
function decideNumberedReport(decision: Decision, report: Control, row: QuotaRow): void {
  if (report.version <= row.version) return;
  decision.emit({
    kind: 'quotaBook',
    partition: report.partition,
    granted: row.granted,
    returned: Math.max(row.returned, Math.min(report.amount, row.granted)),
    wanted: report.wanted,
    version: report.version,
  });
}

/** Partition 0: grants the rest of the quota to the partitions that ask. */
export function decideQuotaShares(decision: Decision, pageQuota: number | null): void {
  const { state, identity } = decision;
  if (pageQuota === null || identity.partition !== 0 || identity.partitions === 1) return;
  let left = pageQuota;
  for (const row of state.quota.book.values()) left -= row.granted - row.returned;
  const asking = [...state.quota.book].filter(([, row]) => row.wanted > 0).sort(([a], [b]) => a - b);
  for (const [partition, row] of asking) {
    if (left <= 0) return;
    const share = Math.min(row.wanted, Math.max(1, Math.floor(left / (2 * identity.partitions))));
    left -= share;
    const next = { ...row, granted: row.granted + share, wanted: 0 };
    decision.emit({ kind: 'quotaBook', partition, ...next });
    decision.controls.push({ partition, record: grantOf(next, decision.nowMs) });
  }
}

/** Takes what partition 0 has entered for this partition: totals only grow. */
export function decideQuotaGrant(decision: Decision, grant: Control): void {
  const { state, identity, seq } = decision;
  const { quotaGranted: granted, quotaReturned: returned } = state.counters;
  if (grant.amount > granted || grant.known > returned) {
    decision.emit({
      kind: 'quota',
      granted: Math.max(grant.amount, granted),
      returned: Math.max(grant.known, returned),
      wanted: grant.amount > granted ? 0 : state.quota.wanted,
    });
  }
  if (grant.known < 0 || grant.amount >= granted) return;
  decision.controls.push({ partition: 0, record: reportOf(state, identity.partition, seq) });
}

/** The messages to repeat after a restart, in case the last ones were lost. */
export function quotaMessages(state: FrontierState, partition: number): { partition: number; record: Control }[] {
  const messages = [...state.quota.book].map(([to, row]) => ({
    partition: to,
    record: grantOf(row, state.nowMs),
  }));
  if (state.quota.wanted > 0 || state.counters.quotaGranted > 0) {
    messages.push({ partition: 0, record: reportOf(state, partition, state.changelog.seq) });
  }
  return messages;
}

function reportOf(state: FrontierState, partition: number, version: number): Control {
  return {
    ...emptyControl,
    kind: 'quotaReport',
    atMs: state.nowMs,
    partition,
    version,
    amount: state.counters.quotaReturned,
    wanted: state.quota.wanted,
    known: state.counters.quotaGranted,
  };
}

function grantOf({ granted, returned }: Pick<QuotaRow, 'granted' | 'returned'>, atMs: number): Control {
  return { ...emptyControl, kind: 'quota', atMs, version: granted, amount: granted, known: returned };
}
