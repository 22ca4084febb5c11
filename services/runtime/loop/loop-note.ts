/**
 * The note of the event-loop watch on disk, for the next start: the subject of a blocked loop, and the subjects of
 * earlier deaths. An unreadable note is ignored, because it must not prevent a start.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { loopLimits } from './loop-limits.ts';

const stoodSchema = z.object({
  /** The subject; null: unknown. */
  subject: z.string().nullable(),
  atMs: z.number(),
});

const noteSchema = z.object({
  format: z.literal(1),
  /**
   * standing: the loop was blocked for a moment. ended: it was blocked so long that the watch ended the process.
   * null: it ran.
   */
  state: z.enum(['standing', 'ended']).nullable(),
  stood: stoodSchema.nullable(),
  /** Earlier deaths of the process while its loop was blocked. */
  deaths: z.array(stoodSchema),
});

export type LoopNote = z.output<typeof noteSchema>;
export type LoopDeath = z.output<typeof stoodSchema>;

const emptyNote: LoopNote = { format: 1, state: null, stood: null, deaths: [] };

export function readLoopNote(path: string): LoopNote {
  try {
    return noteSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return emptyNote;
  }
}

/** Writes it in one step and durably: the process may be killed in the next moment. */
export function writeLoopNote(path: string, note: LoopNote): void {
  const made = `${path}.new`;
  const file = openSync(made, 'w', 0o600);
  try {
    writeFileSync(file, `${JSON.stringify(note)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(made, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } catch {
    // Some file shares cannot sync a folder: they keep names with the files.
  } finally {
    closeSync(folder);
  }
}

/** Verdict on the last process: how it died, if its loop was blocked then, and whether its subject is to blame. */
export interface LoopVerdict {
  /** null: its loop was running. */
  readonly how: 'ended' | 'diedTwice' | 'died' | null;
  readonly subject: string | null;
  readonly atMs: number;
  /** Deaths for the next note. */
  readonly deaths: readonly LoopDeath[];
}

export function judgeLoopNote({ state, stood, deaths }: LoopNote): LoopVerdict {
  if (state === null || stood === null) return { how: null, subject: null, atMs: 0, deaths };
  const all = [...deaths, stood].slice(-loopLimits.deathsMax);
  const { subject, atMs } = stood;
  if (state === 'ended') return { how: 'ended', subject, atMs, deaths: all };
  const isSecond = deaths.some((one) => one.subject === subject && Math.abs(atMs - one.atMs) <= loopLimits.deathsMs);
  return { how: isSecond && subject !== null ? 'diedTwice' : 'died', subject, atMs, deaths: all };
}
