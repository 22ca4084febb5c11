/**
 * Which URLs of a host are one, as far as the host itself has said so: by redirects that it answers with, and by the
 * canonicals that its pages name.
 */
import { z } from 'zod';
import { inOrder, type Rewriting, rewritten } from '../url/rewriting.ts';

export interface EquivalencesConfig {
  /** Redirects of a host, to as many different URLs, that make the same step (http to https, `www.`, a slash at the end, an index page, a parameter that is dropped) before its URLs are folded by it without a request. */
  readonly proofs: number;
  /** A page that names another URL of its host as its canonical counts as a redirect to it, where parameters, an index page or http alone tell them apart; it is not published under its own URL. Absent: it is a page like any other. */
  readonly canonicals?: true | undefined;
}

/** Fewer than two would believe a single redirect; more than sixteen are no more certain. */
export const proofsLeast = 2;
export const proofsMost = 16;

export const equivalencesSchema: z.ZodType<EquivalencesConfig> = z.strictObject({
  proofs: z.int().min(proofsLeast).max(proofsMost),
  canonicals: z.literal(true).optional(),
});

/** A normal URL folded by what its host has proved; itself where nothing applies. `learnt`: in any order. */
export function foldedBy(url: string, learnt: Iterable<Rewriting>): string {
  return inOrder(learnt).reduce(rewritten, url);
}
