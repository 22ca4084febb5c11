/**
 * The actions of a fetcher: it takes the next task, and commits its position at once, contacts the host, and reports.
 *
 *   take → request → answer → links acknowledged → outcome acknowledged
 */
import { blankOutcome, blankRequest, blankResult } from '../../../schemas/blank.ts';
import type { Discovered, Outcome, OutcomeKind, Result } from '../../../schemas/types.ts';
import { logAt } from '../engine/append-only.ts';
import type { Move } from '../engine/explore.ts';
import { Violation } from '../engine/violation.ts';
import { hasLost, type Play } from './play.ts';
import { answerTo, hosts, linkTo, requestTimeoutMs } from './setting.ts';
import { type Fetcher, type HostContacts, idle, type State, withFetcher } from './state.ts';

export function fetcherMoves(play: Play, state: State, at: number): Move<State>[] {
  const fetcher = state.fetchers[at]!;
  // Two equal fetchers act alike.
  if (at === 1 && fetcher === state.fetchers[0]) return [];
  const move = fairFetcherMove(play, state, at);
  const moves = move === undefined ? [] : [move];
  if (fetcher.phase === 'answered' || fetcher.phase === 'reporting') moves.push(...duplicates(play, state, at));
  if (fetcher.phase !== 'idle') moves.push(...kills(play, state, at));
  return moves;
}

export function fairFetcherMove(play: Play, state: State, at: number): Move<State> | undefined {
  const { holds, phase } = state.fetchers[at]!;
  switch (phase) {
    case 'idle':
      return state.tasks.length > state.tasksTaken ? take(play, state, at) : undefined;
    case 'holding': {
      const { notBeforeMs, deadlineMs } = holds!.task;
      const latestMs = deadlineMs - requestTimeoutMs;
      if (state.nowMs > latestMs || notBeforeMs > latestMs) return giveBack(play, state, at);
      return state.nowMs >= notBeforeMs ? ask(play, state, at) : undefined;
    }
    case 'asking':
      return hear(play, state, at);
    case 'answered':
      return publishLinks(play, state, at, '');
    case 'reporting':
      return report(play, state, at, '');
  }
}

/** The next time at which the fetcher acts without other input, ms; undefined: never. */
export function fetcherTimes({ holds, phase, askedAtMs }: Fetcher): number[] {
  if (phase === 'holding') return [holds!.task.notBeforeMs, holds!.task.deadlineMs - requestTimeoutMs];
  return phase === 'asking' ? [askedAtMs + requestTimeoutMs] : [];
}

function nameOf({ holds }: Fetcher): string {
  return `the fetcher of lease ${holds!.task.leaseId}`;
}

function take({ parts }: Play, state: State, at: number): Move<State> {
  const { tasks, tasksTaken } = state;
  const holds = logAt(tasks, tasksTaken + 1).value;
  return {
    say: () => `a fetcher takes the task of lease ${holds.task.leaseId}`,
    next: () => {
      const taken = { ...state, tasksTaken: tasksTaken + 1 };
      return withFetcher(taken, at, parts.fetcher({ ...idle, holds, phase: 'holding' }));
    },
  };
}

function ask(play: Play, state: State, at: number): Move<State> {
  const fetcher = state.fetchers[at]!;
  const { task } = fetcher.holds!;
  const { url } = task.urls[0]!;
  return {
    say: () => `${nameOf(fetcher)} requests ${url}`,
    next: () => {
      const contacts = contacted(play, state, task.hostKey, task.delayMs);
      const asking = play.parts.fetcher({ ...fetcher, phase: 'asking', askedAtMs: state.nowMs });
      return withFetcher({ ...state, contacts }, at, asking);
    },
  };
}

/**
 * Throws Violation if the contact is too early for the host. After a loss of changelog records it does not, since a
 * current lease may be among the lost records.
 */
function contacted(play: Play, state: State, hostKey: string, delayMs: number): HostContacts[] {
  const { contacts, nowMs } = state;
  return contacts.map((host, number) => {
    if (hosts[number] !== hostKey) return host;
    if (hasLost(play, state)) return { ...host, isBusy: true };
    if (host.isBusy) throw new Violation('early', `${hostKey} is contacted while another request is under way there`);
    const waitedMs = nowMs - host.endedAtMs;
    if (host.endedAtMs > 0 && waitedMs < delayMs)
      throw new Violation('early', `${hostKey} is contacted ${waitedMs} ms after the last contact, not ${delayMs} ms`);
    return { ...host, isBusy: true };
  });
}

function left({ contacts, nowMs }: State, hostKey: string): HostContacts[] {
  return contacts.map((host, number) =>
    hosts[number] === hostKey ? { ...host, isBusy: false, endedAtMs: nowMs } : host,
  );
}

function hear({ parts }: Play, state: State, at: number): Move<State> {
  const fetcher = state.fetchers[at]!;
  const { task } = fetcher.holds!;
  const { url } = task.urls[0]!;
  const { kind, status, redirectUrl, links } = answerTo(url);
  return {
    say: () => `${nameOf(fetcher)} has its answer: ${kind}`,
    next: () => {
      const outcome: Outcome = { ...blankOutcome, index: 0, url, kind, status, redirectUrl, links: links.length };
      const phase = linksOf(fetcher, kind).length > 0 ? 'answered' : 'reporting';
      const heard = parts.fetcher({ ...fetcher, phase, endedAtMs: state.nowMs, outcomes: [outcome] });
      return withFetcher({ ...state, contacts: left(state, task.hostKey) }, at, heard);
    },
  };
}

function giveBack({ parts }: Play, state: State, at: number): Move<State> {
  const fetcher = state.fetchers[at]!;
  const { url } = fetcher.holds!.task.urls[0]!;
  return {
    say: () => `${nameOf(fetcher)} has no time left for a request, and gives ${url} back`,
    next: () => {
      const outcome: Outcome = { ...blankOutcome, index: 0, url, kind: 'returned' };
      return withFetcher(state, at, parts.fetcher({ ...fetcher, phase: 'reporting', outcomes: [outcome] }));
    },
  };
}

function linksOf({ holds }: Fetcher, kind: OutcomeKind): Discovered[] {
  const { url, depth, hop } = holds!.task.urls[0]!;
  const { redirectUrl, links } = answerTo(url);
  if (kind === 'redirect') return [linkTo(redirectUrl, { depth, hop: hop + 1, front: true, sourceUrl: url })];
  return kind === 'fetched' ? links.map((link) => linkTo(link, { depth: depth + 1, sourceUrl: url })) : [];
}

/** `repeated`: the text if the same record is published again. */
function publishLinks({ topics, parts }: Play, state: State, at: number, repeated: string): Move<State> {
  const fetcher = state.fetchers[at]!;
  return {
    say: () => `${nameOf(fetcher)} publishes its links${repeated}`,
    next: () => {
      const links = linksOf(fetcher, fetcher.outcomes[0]!.kind);
      const discovered = links.reduce(
        (log, one) => topics.discovered.append(log, JSON.stringify(one), one),
        state.discovered,
      );
      const phase = repeated === '' ? 'reporting' : fetcher.phase;
      return withFetcher({ ...state, discovered }, at, parts.fetcher({ ...fetcher, phase }));
    },
  };
}

function report({ topics, parts }: Play, state: State, at: number, repeated: string): Move<State> {
  const fetcher = state.fetchers[at]!;
  return {
    say: () => `${nameOf(fetcher)} reports its outcome${repeated}`,
    next: () => {
      const result = resultOf(fetcher);
      const results = topics.results.append(state.results, JSON.stringify(result), result);
      return withFetcher({ ...state, results }, at, parts.fetcher(repeated === '' ? idle : fetcher));
    },
  };
}

function resultOf({ holds, outcomes, askedAtMs, endedAtMs }: Fetcher): Result {
  const { partition, epoch, leaseId, hostKey, grantedAtMs, delayMs } = holds!.task;
  const { url } = outcomes[0]!;
  const times = { startMs: askedAtMs, endMs: endedAtMs, delayMs };
  const request = { ...blankRequest, kind: 'page', status: 200, url, outcomeIndex: 0, ...times } as const;
  return {
    ...blankResult,
    ...{ partition, epoch, leaseId, hostKey, grantedAtMs, outcomes, last: true, fetcherId: 'explored' },
    completedAtMs: endedAtMs,
    requests: endedAtMs > 0 ? [request] : [],
    host: { ...blankResult.host, robotsStatus: 'rules' },
  };
}

/** The record lands, but its ack is lost: the fetcher publishes it again. */
function duplicates(play: Play, state: State, at: number): Move<State>[] {
  const { left: before } = state;
  if (before.acks === 0 || before.faults === 0) return [];
  const after = { ...state, left: { ...before, acks: before.acks - 1, faults: before.faults - 1 } };
  const { phase } = state.fetchers[at]!;
  const publishes = phase === 'answered' ? publishLinks : report;
  return [publishes(play, after, at, ', and their ack is lost')];
}

function kills({ parts }: Play, state: State, at: number): Move<State>[] {
  const { left: before } = state;
  if (before.kills === 0 || before.faults === 0) return [];
  const fetcher = state.fetchers[at]!;
  return [
    {
      say: () => `${nameOf(fetcher)} is killed`,
      next: () => {
        const contacts = fetcher.phase === 'asking' ? left(state, fetcher.holds!.task.hostKey) : state.contacts;
        const after = { ...before, kills: before.kills - 1, faults: before.faults - 1 };
        return withFetcher({ ...state, contacts, left: after }, at, parts.fetcher(idle));
      },
    },
  ];
}
