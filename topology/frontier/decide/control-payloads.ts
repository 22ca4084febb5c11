/**
 * Payloads of operators' events on `control` (schemas/control.avsc). null: the payload is not valid, and the event
 * changes nothing.
 */

import { z } from 'zod';
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import { outcomeKinds } from '../../../schemas/types.ts';
import { frontQueueCount } from '../../url/front-queue.ts';
import { urlLimits } from '../../url/url-limits.ts';

const pattern = z.string().min(1).max(urlLimits.urlCharsMax);

const raise = z.object({ url: z.string().min(1).max(urlLimits.urlCharsMax) });

const lower = z.object({
  url: z.string().min(1).max(urlLimits.urlCharsMax),
  frontQueue: z
    .int()
    .min(0)
    .max(frontQueueCount - 1)
    .default(frontQueueCount - 1),
});

const purge = z.object({ url: z.string().min(1).max(urlLimits.urlCharsMax) });

const trap = z.object({ pattern, detail: z.string().max(1_000).default('') });

/** Filters for finished URLs: an outcome, or one of the places where URLs end. */
export const requeueOutcomes = [...outcomeKinds, 'dead', 'failed', 'page'] as const;
export type RequeueOutcome = (typeof requeueOutcomes)[number];

/** The order of a requeue. The event is only a record: the links to refetch arrive on `discovered`. */
export interface RequeuePayload {
  /** Beginning of URLs, normal. Empty: any. */
  readonly prefix: string;
  /** null: any. */
  readonly outcome: RequeueOutcome | null;
}

/** Duplicates that the content dedup counted, by prefix of shapes. */
const duplicates = z.object({
  /** Verdicts on single pages; `of` empty: the page is no longer a copy. */
  urls: z
    .array(z.object({ url: pattern, of: z.string().max(urlLimits.urlCharsMax) }))
    .max(1_000)
    .default([]),
  prefixes: z.array(z.object({ prefix: pattern, pages: z.int().min(0), duplicates: z.int().min(0) })).max(1_000),
});

/**
 * Inputs of the frontier that an operator may reread or skip. `control` is not among them, because all of its events
 * count, in order.
 */
export const soughtTopics = ['discovered', 'results'] as const;

const seek = z.object({ group: z.literal('frontier'), topic: z.enum(soughtTopics), offset: z.int().min(0) });

export type LowerPayload = z.infer<typeof lower>;
export type SeekPayload = z.infer<typeof seek>;
export type TrapPayload = z.infer<typeof trap>;
export type DuplicatesPayload = z.infer<typeof duplicates>;

/**
 * Payload of a `hostDelay` by the host's webmaster. `instead`: the operator's earlier delay, restored when it is
 * removed; -1: the policy's.
 */
const leastDelayOf = z.object({ least: z.literal(true), instead: z.int().min(-1).default(-1) });
export const leastDelayPayload = (json: string): { readonly instead: number } | null =>
  json === '' ? null : read(leastDelayOf, json);
export const leastDelay = JSON.stringify({ least: true });
export const takenBackDelay = (instead: number): string => JSON.stringify({ least: true, instead });

/** Payload of a `blockHost` or `releaseHost` by the host's webmaster: it begins or ends only their own pause. */
export const ofWebmaster = JSON.stringify({ webmaster: true });
export const isOfWebmaster = (json: string): boolean =>
  json !== '' && read(z.object({ webmaster: z.literal(true) }), json) !== null;

/**
 * Payload of a `purge` of a host that was released since. It removes nothing, and consumers skip the pages from before
 * it. Written when a trim removes the purge and the release. To earlier releases, it is an unknown event.
 */
export const liftedPurge = JSON.stringify({ lifted: true });
export const isLiftedPurge = (json: string): boolean =>
  json !== '' && read(z.object({ lifted: z.literal(true) }), json) !== null;

export const duplicatesPayload = (json: string): DuplicatesPayload | null => read(duplicates, json);
/** The URL that the event names. */
export const raisePayload = (json: string): string | null => read(raise, json)?.url ?? null;
/** The URL to lower, and the front queue to put it at the end of. Absent: the last. */
export const lowerPayload = (json: string): LowerPayload | null => read(lower, json);
/** `url` empty: the event concerns the whole host. */
export const purgePayload = (json: string): { readonly url: string } | null =>
  json === '' ? { url: '' } : read(purge, json);
/** null: the payload is not valid, or names another group. */
export const seekPayload = (json: string): SeekPayload | null => read(seek, json);
export const trapPayload = (json: string): TrapPayload | null => read(trap, json);

function read<T>(schema: z.ZodType<T>, json: string): T | null {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** An event of the frontier's own, to be filled in. */
export const emptyControl: Control = { ...blankControl, by: 'frontier' };
