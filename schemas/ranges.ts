/**
 * The range of each numeric field of each topic: Avro admits more than any producer can mean. The border
 * (`topology/border`) applies this table to records from outside, and `types.ts` names the ranges beside the fields.
 *
 * `refused`: the record becomes a dead letter that names field and value; of a `discovered` record only the faulty
 * group does. `bounded`: the nearest value within the range replaces it, the least one if it is not a number. `least`:
 * the least one does.
 */
import { rangeLimits } from './range-limits.ts';
import type {
  Control,
  DeadLetter,
  Duplicate,
  HostFacts,
  Link,
  LinkGroup,
  Outcome,
  Page,
  PageUsage,
  Render,
  Request,
  Response,
  Result,
  RobotsCopy,
  RobotsHop,
  SitemapRound,
  Task,
  TaskUrl,
} from './types.ts';

export interface Range {
  readonly least: number;
  readonly most: number;
  /** The treatment of a value outside the range. */
  readonly breach: 'refused' | 'bounded' | 'least';
}

type RangesOf<T> = { readonly [Name in keyof T as T[Name] extends number ? Name : never]: Range };

const { dateMsMax, depthMax, hopsMax, statusMax, bytesMax, amountMax, retryAfterMsMax, cashMax } = rangeLimits;
/** Avro's int. */
const intMax = 2 ** 31 - 1;

const bounded = (least: number, most: number): Range => ({ least, most, breach: 'bounded' });
const refused = (least: number, most: number): Range => ({ least, most, breach: 'refused' });
const date = bounded(0, dateMsMax);
const millis = bounded(0, dateMsMax);
const count = bounded(0, intMax);
const number = refused(0, Number.MAX_SAFE_INTEGER);
const partition = refused(0, intMax);
const status = bounded(0, statusMax);
const bytes = bounded(0, bytesMax);

const robotsCopy: RangesOf<RobotsCopy> = { fetchedAtMs: date, status, crawlDelayMs: bounded(-1, dateMsMax) };

export const ranges: {
  readonly Control: RangesOf<Control>;
  readonly DeadLetter: RangesOf<DeadLetter>;
  readonly Duplicate: RangesOf<Duplicate>;
  readonly HostFacts: RangesOf<HostFacts>;
  readonly Link: RangesOf<Link>;
  readonly LinkGroup: RangesOf<LinkGroup>;
  readonly Outcome: RangesOf<Outcome>;
  readonly Page: RangesOf<Page>;
  readonly PageUsage: RangesOf<PageUsage>;
  readonly Render: RangesOf<Render>;
  readonly Request: RangesOf<Request>;
  readonly Response: RangesOf<Response>;
  readonly Result: RangesOf<Result>;
  readonly RobotsCopy: RangesOf<RobotsCopy>;
  readonly RobotsHop: RangesOf<RobotsHop>;
  readonly SitemapRound: RangesOf<SitemapRound>;
  readonly Task: RangesOf<Task>;
  readonly TaskUrl: RangesOf<TaskUrl>;
} = {
  Control: {
    atMs: date,
    partition: refused(-1, intMax),
    version: number,
    amount: bounded(-1, amountMax),
    wanted: bounded(0, amountMax),
    known: bounded(-1, amountMax),
  },
  LinkGroup: {
    depth: refused(0, depthMax),
    hop: refused(0, hopsMax),
    discoveredAtMs: date,
    share: { least: 0, most: cashMax, breach: 'least' },
  },
  Link: { lastModifiedMs: date, priority: bounded(-1, 7) },
  Result: {
    partition,
    epoch: number,
    leaseId: number,
    completedAtMs: date,
    grantedAtMs: date,
    policyVersion: bounded(0, Number.MAX_SAFE_INTEGER),
    lanes: count,
  },
  Outcome: {
    index: refused(0, intMax),
    status,
    bytes,
    retryAfterMs: bounded(0, retryAfterMsMax),
    links: count,
    linksDropped: count,
    freshForMs: millis,
  },
  Request: {
    outcomeIndex: bounded(-1, intMax),
    hop: count,
    startMs: date,
    endMs: date,
    connectMs: count,
    firstByteMs: count,
    status,
    bytes,
    delayMs: millis,
    robotsAtMs: date,
    retryAfterMs: bounded(0, retryAfterMsMax),
    addressDelayMs: millis,
  },
  HostFacts: {
    robotsFetchedAtMs: date,
    crawlDelayMs: bounded(-1, dateMsMax),
    sitemapsSinceMs: date,
    sitemapsLeft: count,
  },
  RobotsHop: { partition },
  Task: {
    partition,
    epoch: number,
    leaseId: number,
    grantedAtMs: date,
    deadlineMs: date,
    notBeforeMs: date,
    delayMs: millis,
    crawlDelayCapMs: millis,
    delayFactor: bounded(0, dateMsMax),
    serverErrorsMax: count,
    serverErrors: count,
    lanes: count,
    policyVersion: bounded(0, Number.MAX_SAFE_INTEGER),
  },
  TaskUrl: {
    depth: refused(0, depthMax),
    hop: refused(0, hopsMax),
    attempt: count,
    cash: { least: 0, most: cashMax, breach: 'least' },
  },
  RobotsCopy: robotsCopy,
  SitemapRound: { sinceMs: bounded(-1, dateMsMax) },
  Page: { status, fetchedAtMs: date, depth: count, bytes, links: count, linksDropped: count },
  PageUsage: { fromMs: date },
  Render: { depth: count, fetchedAtMs: date, status, delayMs: millis },
  Response: {
    fetchedAtMs: date,
    status,
    durationMs: count,
    noArchiveFromMs: bounded(-1, dateMsMax),
    depth: bounded(-1, intMax),
    policyVersion: bounded(0, Number.MAX_SAFE_INTEGER),
    bodyBytes: bytes,
  },
  Duplicate: {
    members: count,
    pageOffset: bounded(-1, Number.MAX_SAFE_INTEGER),
    fetchedAtMs: date,
    atMs: date,
  },
  DeadLetter: {
    sourcePartition: count,
    sourceOffset: bounded(-1, Number.MAX_SAFE_INTEGER),
    attempts: count,
    status,
    depth: count,
    atMs: date,
  },
};
