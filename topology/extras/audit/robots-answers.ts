/**
 * Checks by which robots.txt each request was allowed, and whether that was right (RFC 9309 §2.3.1, §2.4).
 *
 * A request says by which copy it was allowed: hash, and when it was fetched. That copy must be on the topic `robots`, be
 * what its hash says, be no older than a day (30, while robots.txt is unavailable), and allow the URL. And the answers
 * that hosts gave to requests for robots.txt, which are contacts like any other, must bear it out.
 */
import type { Request } from '../../../schemas/types.ts';
import { type RefereeRules, refereeVerdict } from './robots-referee.ts';
import type { ViolationKind } from './violation.ts';

/** A copy on the topic. */
export interface Copy {
  /** Null: there was no robots.txt. 'damaged': its body does not have the hash. */
  readonly rules: RefereeRules | null | 'damaged';
}

export interface Claim {
  readonly request: Pick<Request, 'url' | 'hop' | 'startMs' | 'robotsHash' | 'robotsAtMs'>;
  readonly fetcherId: string;
  /** The robots.txt that the request refers to; undefined: it is not on the topic. */
  readonly copy: Copy | undefined;
}

export interface Objection {
  readonly kind: ViolationKind;
  readonly source: string;
  readonly measuredMs?: number;
  readonly boundMs?: number;
}

/** Answers of one origin to requests for its robots.txt. */
export interface RobotsAnswers {
  note(answer: RobotsAnswer): void;
  /** Null: nothing is wrong. */
  judge(claim: Claim): Objection | null;
}

export interface RobotsAnswer {
  readonly endMs: number;
  readonly status: number;
  readonly fetcherId: string;
}

const dayMs = 86_400_000;
const staleMsMax = 30 * dayMs;
const answersKept = 8;
/** A copy gets its date when its answer has been read, which a busy fetcher may do late. */
const answerMs = 5_000;

export function createRobotsAnswers(): RobotsAnswers {
  /** By end. */
  const answers: RobotsAnswer[] = [];
  return {
    note(answer) {
      answers.splice(answers.findLastIndex(({ endMs }) => endMs <= answer.endMs) + 1, 0, answer);
      if (answers.length > answersKept) answers.shift();
    },
    judge({ request, fetcherId, copy }) {
      const { url, hop, startMs, robotsHash, robotsAtMs } = request;
      if (robotsAtMs === 0) return { kind: 'robotsUnread', source: 'the request was sent before robots.txt was read' };
      if (robotsAtMs > startMs) {
        const source = 'the robots.txt that allows the request was read after the request';
        return { kind: 'robotsUnread', source };
      }
      const answer = answers.findLast(
        ({ fetcherId: asker, endMs }) => asker === fetcherId && endMs <= robotsAtMs && endMs > robotsAtMs - answerMs,
      );
      if (answer !== undefined && isUnreachable(answer.status)) {
        const what = answer.status === 0 ? 'gave no answer' : `answered ${answer.status}`;
        return {
          kind: 'robotsUnreachable',
          source: `robots.txt ${what}, which forbids everything (RFC 9309 §2.3.1.4)`,
        };
      }
      if (answer !== undefined && answer.status < 300 && robotsHash === '') {
        return {
          kind: 'robotsUnread',
          source: `robots.txt answered ${answer.status}, but the fetcher treated it as missing`,
        };
      }
      const old = tooOld(request, answers);
      if (old !== null) return old;
      if (copy === undefined) {
        return { kind: 'robotsUnread', source: 'the robots.txt that allows the request was not stored' };
      }
      if (copy.rules === 'damaged') {
        return { kind: 'robotsCopy', source: `the stored robots.txt does not match the hash ${robotsHash}` };
      }
      const verdict = copy.rules === null ? null : refereeVerdict(copy.rules, url);
      if (verdict === null || verdict.allowed) return null;
      return { kind: hop > 0 ? 'redirectDisallowed' : 'disallowed', source: `robots.txt: ${verdict.by?.line}` };
    },
  };
}

function tooOld({ startMs, robotsAtMs }: Claim['request'], answers: readonly RobotsAnswer[]): Objection | null {
  const measuredMs = startMs - robotsAtMs;
  if (measuredMs <= dayMs) return null;
  // The copy is older than a day, so that these came after it.
  const asked = answers.findLast(({ endMs }) => endMs <= startMs && endMs > startMs - dayMs);
  // The target of a redirect may have been answered by another host.
  const isStandIn = asked !== undefined && (isUnreachable(asked.status) || Math.floor(asked.status / 100) === 3);
  if (isStandIn && measuredMs <= staleMsMax) return null;
  const source = isStandIn ? 'RFC 9309 §2.3.1.4' : 'RFC 9309 §2.4; no failed refetch allows an older copy';
  return { kind: 'robotsStale', source, measuredMs, boundMs: isStandIn ? staleMsMax : dayMs };
}

/** True for no response, and for a status that shows neither a file nor its absence. */
function isUnreachable(status: number): boolean {
  return status < 200 || status === 429 || status >= 500;
}
