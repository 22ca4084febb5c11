/**
 * Events of traced URLs in a step: outputs beside its commit, for the sender of spans. They change nothing, are not
 * in the changelog, and are lost if the process ends.
 */
import type { LinkGroup, Outcome, OutcomeKind } from '../../../schemas/types.ts';
import { admitSpan, queueSpan } from '../../trace/journey.ts';
import { childOf, parseTraceparent, type TraceContext } from '../../trace/trace-context.ts';
import type { Tracing } from '../../trace/tracing.ts';
import type { FinalStatus } from '../changes/changes.ts';
import type { Entry } from '../changes/entry.ts';
import type { Lease } from '../hosts/lease.ts';
import type { Decision } from './decision.ts';

export type TraceEvent = Admitted | Resolved;

interface Fingerprint {
  readonly hi: number;
  readonly lo: number;
}

export interface Admitted {
  readonly kind: 'admitted';
  /** Time of the decision, ms since the Unix epoch. */
  readonly atMs: number;
  readonly span: TraceContext;
  /** A URL that was known is admitted once more, by an operator or a push: a child of the first admission. */
  readonly parent: TraceContext | null;
  /** The fetch that found the link; null: it is not traced. */
  readonly foundBy: TraceContext | null;
  /** When the link was found, ms since the Unix epoch. 0: unknown. */
  readonly foundAtMs: number;
  readonly url: string;
  readonly hostKey: string;
  readonly depth: number;
  readonly frontQueue: number;
}

/** `again`: it waits for its next lease, or visit. */
export type ResolvedTo = FinalStatus | 'again';

export interface Resolved {
  readonly kind: 'resolved';
  readonly atMs: number;
  readonly span: TraceContext;
  readonly parent: TraceContext;
  readonly url: string;
  readonly hostKey: string;
  readonly outcome: OutcomeKind | 'leaseExpired';
  readonly to: ResolvedTo;
  readonly attempts: number;
}

export function noteAdmitted(
  { state, seq, nowMs, traced }: Decision,
  group: LinkGroup,
  known: boolean,
  { url, hostKey, frontQueue, hi, lo }: Pick<Admitted, 'url' | 'hostKey' | 'frontQueue'> & Fingerprint,
): void {
  const first = admitSpan(hi, lo);
  traced.push({
    kind: 'admitted',
    atMs: nowMs,
    span: known ? childOf(first, `admit ${state.changelog.epoch}.${seq}`) : first,
    parent: known ? first : null,
    foundBy: parseTraceparent(group.traceparent),
    foundAtMs: group.discoveredAtMs,
    url,
    hostKey,
    depth: group.depth,
    frontQueue,
  });
}

/** Notes the outcome of a traced URL, if the outcome names its span. */
export function noteResolved(
  { nowMs, traced }: Decision,
  { host }: Lease,
  { kind: outcome, url, traceparent }: Outcome,
  { attempts }: Entry,
  to: ResolvedTo,
): void {
  const parent = parseTraceparent(traceparent);
  if (parent === null) return;
  traced.push({
    kind: 'resolved',
    atMs: nowMs,
    span: childOf(parent, 'resolve'),
    parent,
    url,
    hostKey: host.key,
    outcome,
    to,
    attempts,
  });
}

/** The lease's own span was never sent, because its fetcher is gone. */
export function noteExpired(
  { state, nowMs, traced }: Decision,
  tracing: Tracing,
  { id, host }: Lease,
  { url, attempts }: Entry,
  isRevisit: boolean,
  to: ResolvedTo,
): void {
  const [hi, lo] = state.identityOf(host.key, url);
  if (!tracing.traces(host.key, lo!)) return;
  const parent = queueSpan(hi!, lo!, id, isRevisit);
  const span = childOf(parent, 'expire');
  traced.push({
    kind: 'resolved',
    atMs: nowMs,
    span,
    parent,
    url,
    hostKey: host.key,
    outcome: 'leaseExpired',
    to,
    attempts,
  });
}
