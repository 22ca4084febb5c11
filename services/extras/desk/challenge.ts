/**
 * The text that a visitor publishes at a host to prove control of it.
 *
 * It is derived from the crawl, the host, the visitor and a day, with the service's secret. So it proves one host for
 * one visitor: another person who reads it at the host, or asks for the same host, gets another text. After its day it
 * proves nothing, and the new owner of a transferred host must publish a new one.
 */
import { deskLimits } from './desk-limits.ts';
import type { Sealer } from './sealed.ts';

export const challengePrefix = 'crawlstream-desk=';

export interface Asked {
  readonly crawl: string;
  readonly hostKey: string;
  /** A secret between the visitor and this service. */
  readonly visitor: string;
}

const dayMs = 86_400_000;

/** A line that is the same for the whole day. */
export function challengeFor(sealer: Sealer, asked: Asked, nowMs: number): string {
  const day = lastDay(nowMs);
  return `${challengePrefix}${day}.${sealOf(sealer, asked, day)}`;
}

/** Returns whether the published text is a valid answer to the challenge. */
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

/** The last day of its validity, in days since the Unix epoch, UTC. */
function lastDay(nowMs: number): number {
  return Math.floor(nowMs / dayMs) + deskLimits.challengeDays;
}
