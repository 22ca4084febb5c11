/** Facts about a host as bytes: part of the format of the changelog and of the checkpoint. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { pick } from '../storage/fields.ts';
import type { HostFacts, HostHold } from './changes.ts';

// The order is the format: append, never reorder.
const holds = ['', 'crawlDelay', 'blocked', 'limit', 'purged', 'paused'] as const satisfies readonly HostHold[];
/** Flag in the byte of the hold: deferred URLs are open. */
const openFlag = 0x80;
/** Flag: the number of received bytes follows. */
const bytesFlag = 0x40;
/** Flag: the host's own delay is a minimum. */
const leastFlag = 0x20;
/** Flag: consecutive server errors follow, as the last field. */
const serverErrorsFlag = 0x10;
const allFlags = openFlag | bytesFlag | leastFlag | serverErrorsFlag;

export function writeHostFacts(writer: ByteWriter, facts: HostFacts): void {
  writer.uint(facts.readyAtMs);
  writer.int(facts.crawlDelayMs);
  writer.int(facts.ownDelayMs);
  writer.int(facts.pagesMax);
  writer.int(facts.ownBudget);
  writer.uint(facts.fetched);
  writer.uint(facts.pages);
  writer.uint(facts.fetchMs);
  writer.uint(facts.failures);
  writer.uint(facts.throttles);
  writer.uint(facts.returns);
  writer.uint(facts.leaseMax);
  const flags =
    (facts.deferredOpen ? openFlag : 0) |
    (facts.bytes > 0 ? bytesFlag : 0) |
    (facts.ownDelayIsLeast ? leastFlag : 0) |
    (facts.serverErrors > 0 ? serverErrorsFlag : 0);
  writer.byte(holds.indexOf(facts.hold) | flags);
  writer.uint(facts.deadUntilMs);
  if (facts.bytes > 0) writer.uint(facts.bytes);
  if (facts.serverErrors > 0) writer.uint(facts.serverErrors);
}

export function readHostFacts(reader: ByteReader): HostFacts {
  const readyAtMs = reader.uint();
  const crawlDelayMs = reader.int();
  const ownDelayMs = reader.int();
  const pagesMax = reader.int();
  const ownBudget = reader.int();
  const fetched = reader.uint();
  const pages = reader.uint();
  const fetchMs = reader.uint();
  const failures = reader.uint();
  const throttles = reader.uint();
  const returns = reader.uint();
  const leaseMax = reader.uint();
  const flags = reader.byte();
  const hold = pick(holds, flags & ~allFlags, 'hold');
  const deadUntilMs = reader.uint();
  const bytes = (flags & bytesFlag) === 0 ? 0 : reader.uint();
  const serverErrors = (flags & serverErrorsFlag) === 0 ? 0 : reader.uint();
  // No spread: a third of the time that a restart took went into one.
  return {
    readyAtMs,
    crawlDelayMs,
    ownDelayMs,
    pagesMax,
    ownBudget,
    fetched,
    pages,
    fetchMs,
    failures,
    throttles,
    returns,
    leaseMax,
    ownDelayIsLeast: (flags & leastFlag) !== 0,
    hold,
    deferredOpen: (flags & openFlag) !== 0,
    deadUntilMs,
    bytes,
    serverErrors,
  };
}
