/**
 * What a visitor is to publish at a host to show that it is theirs.
 *
 * It is made of the crawl, the host, the visitor and a day, by the desk's secret. So it proves one host, for the visitor who was
 * asked and nobody else: whoever reads it at the host, or asks for the same host, has another. After its day it proves
 * nothing, and a host that has changed hands must publish one again.
 */
import { deskLimits } from './desk-limits.ts';
import type { Sealer } from './sealed.ts';

export const challengePrefix = 'crawlstream-desk=';

export interface Asked {
  readonly crawl: string;
  readonly hostKey: string;
  /** Known to them and us alone. */
  readonly visitor: string;
}

const dayMs = 86_400_000;

/** A line, the same for all of a day. */
export function challengeFor(sealer: Sealer, asked: Asked, nowMs: number): string {
  const day = lastDay(nowMs);
  return `${challengePrefix}${day}.${sealOf(sealer, asked, day)}`;
}

/** Is what was published the answer to what was asked? */
export function isAnswer(
  sealer: Sealer,
  { crawl, hostKey, visitor }: Asked,
  published: string,
  nowMs: number,
): boolean {
  const [, day, seal] = /^crawlstream-desk=(\d{1,6})\.([\w-]{43})$/.exec(published) ?? [];
  if (day === undefined || seal === undefined) return false;
  if (Number(day) < Math.floor(nowMs / dayMs) || Number(day) > lastDay(nowMs)) return false;
  return sealer.isSealOf(seal, 'challenge', crawl, hostKey, visitor, day);
}

function sealOf(sealer: Sealer, { crawl, hostKey, visitor }: Asked, day: number): string {
  return sealer.seal('challenge', crawl, hostKey, visitor, `${day}`);
}

/** The last day on which it holds, since the Unix epoch, UTC. */
function lastDay(nowMs: number): number {
  return Math.floor(nowMs / dayMs) + deskLimits.challengeDays;
}
