/**
 * The first decision in which another policy differs, and why, from two commits over the same state and inputs.
 *
 * The reason comes from the policies themselves: if only one of them takes a link, the other's verdict is the reason;
 * if a lease differs, the differing field shows which part of the policy set it.
 */
import { type Commit, decodeChangelog } from '../../frontier/changes/changelog.ts';
import type { Change } from '../../frontier/changes/changes.ts';
import type { Entry } from '../../frontier/changes/entry.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Difference } from './re-decider.ts';

export interface Divergence {
  readonly partition: number;
  /** Offset of the commit in the changelog. */
  readonly offset: number;
  readonly atMs: number;
  readonly kind: 'admission' | 'lease' | 'retry' | 'other';
  readonly text: string;
  readonly recorded: string | null;
  readonly decided: string | null;
}

/** Changes that name the policy in force, and their results: they differ even if no decision does. */
const ofPolicy: ReadonlySet<Change['kind']> = new Set(['policy', 'check']);

/** null: the decisions are the same, except for the policy's version. */
export function divergenceOf(
  partition: number,
  { offset, recorded, decided }: Difference,
  before: Policy | null,
  after: Policy | null,
): Divergence | null {
  const old = decisionsOf(recorded);
  const now = decided === null ? null : decisionsOf(decided);
  const atMs = old.commit.nowMs;
  const count = Math.max(old.decisions.length, now?.decisions.length ?? 0);
  for (let i = 0; i < count; i++) {
    const [a, b] = [old.decisions[i], now?.decisions[i]];
    const [recordedText, decidedText] = [textOf(a), textOf(b)];
    if (recordedText === decidedText) continue;
    // The next entry shows it, if only one of two neighbours was taken.
    const reason = reasonOf(a, b, before, after);
    const where = { partition, offset, atMs };
    return { ...where, kind: kindOf(a ?? b!), text: reason, recorded: recordedText, decided: decidedText };
  }
  return null;
}

/** A change, with entries one by one. */
type Made = { readonly admit: Entry; readonly hostKey: string } | { readonly change: Change };

function decisionsOf(bytes: Buffer): { readonly commit: Commit; readonly decisions: readonly Made[] } {
  const commit = decodeChangelog(bytes) as Commit;
  const decisions: Made[] = [];
  for (const change of commit.changes) {
    if (ofPolicy.has(change.kind)) continue;
    if (change.kind !== 'admit') decisions.push({ change });
    else for (const admit of change.entries) decisions.push({ admit, hostKey: change.hostKey });
  }
  return { commit, decisions };
}

function textOf(made: Made | undefined): string | null {
  if (made === undefined) return null;
  if ('admit' in made)
    return `admit ${made.admit.url}, depth ${made.admit.depth}, front queue ${made.admit.frontQueue}`;
  const { kind, ...rest } = made.change;
  return `${kind} ${JSON.stringify(rest)}`;
}

function kindOf(made: Made): Divergence['kind'] {
  if ('admit' in made) return 'admission';
  if (made.change.kind === 'grant' || made.change.kind === 'grantDue') return 'lease';
  return made.change.kind === 'resolve' ? 'retry' : 'other';
}

function reasonOf(a: Made | undefined, b: Made | undefined, before: Policy | null, after: Policy | null): string {
  if (a !== undefined && 'admit' in a) {
    const refusal = after?.admit(a.admit.url, a.admit.depth, a.admit.hop);
    if (refusal?.ok === false) return `${a.admit.url} is not admitted: refused by ${refusal.rule}: ${refusal.detail}`;
  }
  if (b !== undefined && 'admit' in b) {
    const refusal = before?.admit(b.admit.url, b.admit.depth, b.admit.hop);
    if (refusal?.ok === false)
      return `${b.admit.url} is admitted: before, it was refused by ${refusal.rule}: ${refusal.detail}`;
    if (a !== undefined && 'admit' in a && a.admit.url === b.admit.url)
      return `${b.admit.url} goes into front queue ${b.admit.frontQueue}, not ${a.admit.frontQueue}: ${frontQueueReason(before, after)}`;
  }
  if (a !== undefined && b !== undefined && 'change' in a && 'change' in b) return changeReason(a.change, b.change);
  if (a === undefined) return `additional decision: ${textOf(b)}`;
  if (b === undefined) return `missing decision: ${textOf(a)}`;
  return `${textOf(b)} instead of ${textOf(a)}`;
}

function frontQueueReason(before: Policy | null, after: Policy | null): string {
  if (before?.scores !== after?.scores)
    return after?.scores ? 'the new policy scores it' : 'the new policy does not score it';
  if (after?.config.budget !== undefined || before?.config.budget !== undefined) return 'score or budget';
  return after?.scores ? 'score' : 'depth and spelling, or a trap';
}

/** By the field that differs, and the policy's fields that set it. */
const setBy: Readonly<Record<string, string>> = {
  delayMs: 'delayMs',
  frontQueues: 'urlsPerLeaseMax, leadTimeMs, delayMs or the order of the queue',
  again: 'urlsPerLeaseMax, leadTimeMs or retriesMs',
  deadlineMs: 'delayMs and delayFactor, which set the time of a lease',
  disposition: 'retriesMs, or the recrawl schedule',
  facts: 'delayMs, delayFactor, retriesMs or serverErrorsMax, which set how long a host waits',
  dueAtMs: 'recrawl',
};

function changeReason(a: Change, b: Change): string {
  if (a.kind !== b.kind) return `${textOf({ change: b })} instead of ${textOf({ change: a })}`;
  const [x, y] = [a as unknown as Record<string, unknown>, b as unknown as Record<string, unknown>];
  const host = typeof x['hostKey'] === 'string' ? ` of ${x['hostKey']}` : '';
  if (x['hostKey'] !== y['hostKey']) return `${a.kind}: ${String(y['hostKey'])} instead of ${String(x['hostKey'])}`;
  const field = Object.keys(x).find((name) => JSON.stringify(x[name]) !== JSON.stringify(y[name])) ?? 'it';
  const by = setBy[field] === undefined ? '' : ` (set by ${setBy[field]})`;
  return `${a.kind}${host}: ${field} is ${JSON.stringify(y[field])}, before ${JSON.stringify(x[field])}${by}`;
}
