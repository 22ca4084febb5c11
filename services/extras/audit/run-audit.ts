/** One audit of a crawl, from its log alone: `control` and `robots` first, then the results of all partitions. */
import type { Request, Result } from '../../../schemas/types.ts';
import { type AuditCounts, createAudit } from '../../../topology/extras/audit/audit.ts';
import type { Contact, Tolerance } from '../../../topology/extras/audit/contact.ts';
import { createOrders, type Orders } from '../../../topology/extras/audit/orders.ts';
import {
  createPaymentsReferee,
  type PaymentCounts,
  type PaymentsReferee,
} from '../../../topology/extras/audit/payments-referee.ts';
import type { Violation } from '../../../topology/extras/audit/violation.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { createReadChain, type ReadPart } from './read-chain.ts';
import { type PlacedResult, resultsInTime, type Span, timeOf } from './records-in-time.ts';
import { type CopiesSource, type RobotsCopies, readRobotsCopies } from './robots-copies.ts';

export interface AuditSource extends CopiesSource {
  readonly log: Pick<Log, 'offsetAt' | 'offsets' | 'reader'>;
}

export interface AuditRun extends Tolerance {
  /** The registrable domain of a host. */
  readonly domainOf?: (host: string) => string;
  /** Requests that started before are passed over, ms since the Unix epoch. 0: none. */
  readonly fromMs: number;
  /** The only partition to judge the results of. Absent: all. */
  readonly only?: number;
  /** Called with each judged request, and with each result. */
  readonly onContact?: (contact: Contact, request: Request) => void;
  readonly onResult?: (result: Result) => void;
  /** Called with each violation, before the request that shows it is passed on. */
  readonly onViolation?: (violation: Violation) => void;
  /** Bytes of robots.txt files in memory together. Absent: 64 MiB. */
  readonly robotsBytesMax?: number;
}

export interface AuditReport {
  readonly counts: AuditCounts;
  readonly payments: PaymentCounts;
  readonly violations: readonly Violation[];
  readonly violationCount: number;
  readonly unreadable: number;
  readonly read: readonly ReadPart[];
  readonly copies: RobotsCopies;
}

/** Violations kept: a longer list is of no use. */
const violationsMax = 1_000;

export async function runAudit(source: AuditSource, run: AuditRun): Promise<AuditReport> {
  const audit = await beginAudit(source, run);
  while ((await audit.nextMs()) !== null) await audit.take();
  return audit.end();
}

/** An audit driven from outside, as for several crawls (fleet-audit.ts). */
export interface RunningAudit {
  /** Time of the next result, ms since the Unix epoch; null: there is none. */
  nextMs(): Promise<number | null>;
  /** Judges the result that comes next. */
  take(): Promise<void>;
  /** Call it after the last record, or earlier if the rest does not matter. */
  end(): AuditReport;
}

export async function beginAudit(source: AuditSource, run: AuditRun): Promise<RunningAudit> {
  const { log, codec, crawl, partitions } = source;
  const chain = createReadChain();
  const spans: Span[] = [];
  const topic = `${crawl}.results`;
  // The ends are read first: orders and copies that arrive later do not apply to requests judged here.
  const judged = run.only === undefined ? Array.from({ length: partitions }, (_, number) => number) : [run.only];
  for (const partition of judged) {
    const { start, end } = await log.offsets(topic, partition);
    const from = run.fromMs === 0 ? start : Math.max(start, await log.offsetAt(topic, partition, run.fromMs));
    spans.push({ partition, from, to: end });
  }
  const violations: Violation[] = [];
  let [violationCount, unreadable] = [0, 0];
  const onViolation = (violation: Violation) => {
    violationCount += 1;
    if (violations.length < violationsMax) violations.push(violation);
    run.onViolation?.(violation);
  };
  const orders = createOrders(run.noticeMs);
  const referee = createPaymentsReferee(run.noticeMs, onViolation);
  // Payments are on the first; policies are on all.
  await readOrders(source, new Set([0, ...judged]), orders, referee, chain.take);
  const copies = await readRobotsCopies(source, chain.take, run.robotsBytesMax);
  const audit = createAudit({
    ...run,
    orders,
    copyOf: copies.copyOf,
    onViolation,
  });
  const results = resultsInTime(log, codec, topic, spans);
  let next: IteratorResult<PlacedResult, void> | undefined;
  return {
    async nextMs() {
      next ??= await results.next();
      return next.done ? null : timeOf(next.value);
    },
    async take() {
      next ??= await results.next();
      if (next.done) return;
      const { record, result } = next.value;
      next = undefined;
      chain.take(record);
      if (result === null) {
        unreadable += 1;
        return;
      }
      await copies.prepare(new Set(result.requests.map(({ robotsHash }) => robotsHash)));
      const place = { topic: 'results', partition: record.partition, offset: record.offset };
      audit.take(result, place);
      for (const outcome of result.outcomes) {
        const asked = result.requests.findLast(({ outcomeIndex }) => outcomeIndex === outcome.index);
        referee.answer(outcome, asked?.startMs ?? result.completedAtMs, place);
      }
      run.onResult?.(result);
    },
    end() {
      const payments = referee.end();
      return { counts: audit.counts(), payments, violations, violationCount, unreadable, read: chain.end(), copies };
    },
  };
}

async function readOrders(
  { log, codec, crawl }: AuditSource,
  partitions: ReadonlySet<number>,
  orders: Orders,
  referee: PaymentsReferee,
  onRecord: ReturnType<typeof createReadChain>['take'],
): Promise<void> {
  const topic = `${crawl}.control`;
  for (const partition of partitions) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const record of recordsOf(log, topic, partition, start, end)) {
      onRecord(record);
      try {
        await codec.prepare('control', record.value);
        const event = codec.decode('control', record.value);
        orders.note(event);
        if (partition === 0) referee.note(event, { topic: 'control', partition, offset: record.offset });
      } catch {
        // The frontier makes a dead letter of an unreadable event, and does not obey it.
      }
    }
  }
}
