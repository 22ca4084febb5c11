/** Lesson: the facts about a host that follow from the outcomes of one message. */
import type { Outcome, Result } from '../../../../schemas/types.ts';
import { failsHost, isServerError, serverErrorsAfter } from '../../../fetch/outcome.ts';
import type { HostSettings } from '../../../policy/overlay-config.ts';
import type { HostFacts } from '../../changes/changes.ts';
import { finals } from './finals.ts';

export interface Lesson {
  answered: boolean;
  /** The host answered, if only with a server error. */
  reached: boolean;
  /** The host is backed off, and has not answered well since. */
  wasThrottled: boolean;
  /** Consecutive server errors, as in HostFacts. */
  serverErrors: number;
  hostFailed: boolean;
  throttled: boolean;
  returned: boolean;
  heldBack: boolean;
  retryAfterMs: number;
  /** URLs with a final answer, and those of them that are pages worth keeping. */
  fetched: number;
  pages: number;
  /** Durations of page requests, ms. */
  fetchMs: number[];
}

export function newLesson({ throttles, serverErrors }: HostFacts): Lesson {
  return {
    answered: false,
    reached: false,
    wasThrottled: throttles > 0,
    serverErrors,
    hostFailed: false,
    throttled: false,
    returned: false,
    heldBack: false,
    retryAfterMs: 0,
    fetched: 0,
    pages: 0,
    fetchMs: [],
  };
}

export function learn(
  lesson: Lesson,
  outcome: Outcome,
  result: Result,
  { serverErrorsMax = 0 }: HostSettings,
  isFirstTry: boolean,
): void {
  const { kind } = outcome;
  if (failsHost(outcome)) lesson.hostFailed = true;
  else if (kind === 'throttled' || kind === 'timeout') lesson.throttled = true;
  else if (kind === 'returned' || kind === 'unknown') lesson.returned = true;
  else if (kind === 'crawlDelayTooLong') lesson.heldBack = true;
  else if (serverErrorsMax > 0 && isServerError(outcome))
    learnServerError(lesson, outcome, serverErrorsMax, isFirstTry);
  // The URL, or one origin of the host, failed, although another request was answered.
  else if (outcome.status === 0 && outcome.originOnly) lesson.reached = true;
  else if (outcome.status > 0) Object.assign(lesson, { answered: true, wasThrottled: false, serverErrors: 0 });
  if (finals[kind] !== undefined && outcome.status > 0) lesson.fetched += 1;
  if (finals[kind] === 'page' && !outcome.soft404) lesson.pages += 1;
  const request = result.requests.find((one) => one.outcomeIndex === outcome.index);
  if (request !== undefined) lesson.fetchMs.push(request.endMs - request.startMs);
}

/**
 * One page may be broken. Several errors in a row are the host's trouble, and so is any error during a back-off,
 * because it shows no recovery.
 */
function learnServerError(lesson: Lesson, outcome: Outcome, serverErrorsMax: number, isFirstTry: boolean): void {
  lesson.reached = true;
  lesson.serverErrors = Math.min(serverErrorsAfter(lesson.serverErrors, outcome, isFirstTry), serverErrorsMax);
  if (lesson.wasThrottled || lesson.serverErrors >= serverErrorsMax) lesson.throttled = true;
}

/**
 * Pauses that were asked for in any answer: for a URL of the lease, also if it was purged meanwhile, for robots.txt, and
 * for sitemaps.
 */
export function learnPauses(lesson: Lesson, { outcomes, requests, completedAtMs }: Result): void {
  for (const { retryAfterMs } of outcomes) lesson.retryAfterMs = Math.max(lesson.retryAfterMs, retryAfterMs);
  for (const { outcomeIndex, status, retryAfterMs, endMs } of requests) {
    if (outcomeIndex >= 0 || retryAfterMs === 0 || status < 300) continue;
    lesson.retryAfterMs = Math.max(lesson.retryAfterMs, endMs + retryAfterMs - completedAtMs);
  }
}
