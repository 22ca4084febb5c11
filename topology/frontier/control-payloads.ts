/** Payloads of operators' events on `control` (schemas/control.avsc). null: it is none, and the event changes nothing. */
import { z } from 'zod';
import { outcomeKinds } from '../../schemas/types.ts';
import { urlLimits } from '../limits.ts';

const pattern = z.string().min(1).max(urlLimits.urlCharsMax);

const trap = z.object({ pattern, detail: z.string().max(1_000).default('') });
const raise = z.object({ url: z.string().min(1).max(urlLimits.urlCharsMax) });

/** What may be asked for of finished URLs: an outcome, or a place of several. */
export const requeueOutcomes = [...outcomeKinds, 'dead', 'failed', 'page'] as const;
export type RequeueOutcome = (typeof requeueOutcomes)[number];

const requeue = z.object({
  /** Beginning of URLs, normal. Empty: any. */
  prefix: z.string().max(urlLimits.urlCharsMax).default(''),
  /** null: any. */
  outcome: z.enum(requeueOutcomes).nullable().default(null),
});

/** What the content dedup counted, per prefix of shapes. */
const duplicates = z.object({
  prefixes: z.array(z.object({ prefix: pattern, pages: z.int().min(0), duplicates: z.int().min(0) })).max(1_000),
});

export type TrapPayload = z.infer<typeof trap>;
export type RaisePayload = z.infer<typeof raise>;
export type RequeuePayload = z.infer<typeof requeue>;

export type DuplicatesPayload = z.infer<typeof duplicates>;

export const duplicatesPayload = (json: string): DuplicatesPayload | null => read(duplicates, json);
export const trapPayload = (json: string): TrapPayload | null => read(trap, json);
export const raisePayload = (json: string): RaisePayload | null => read(raise, json);
export const requeuePayload = (json: string): RequeuePayload | null => read(requeue, json);

function read<T>(schema: z.ZodType<T>, json: string): T | null {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
