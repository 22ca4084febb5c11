/** URLs of a host that count as one page, as proved by the host's own redirects and the canonicals of its pages. */
import { z } from 'zod';
import { inOrder, type Rewriting, rewritten } from '../url/rewriting.ts';

export interface EquivalencesConfig {
  /** Redirects of a host, for as many different URLs, that must make the same change before the crawl makes it without a request. Examples: http to https, `www.`, a final slash, an index page, a dropped parameter. */
  readonly proofs: number;
  /** Treat rel=canonical as a redirect within a host if only the query, index page or scheme differs. The page is then not published under its own URL. Absent: it is a page like any other. */
  readonly canonicals?: true | undefined;
}

/** Fewer than two would believe a single redirect; more than sixteen are no more certain. */
export const proofsLeast = 2;
export const proofsMost = 16;

export const equivalencesSchema: z.ZodType<EquivalencesConfig> = z.strictObject({
  proofs: z.int().min(proofsLeast).max(proofsMost),
  canonicals: z.literal(true).optional(),
});

/** A normal URL folded by its host's proved rewritings; unchanged if none applies. `learnt`: in any order. */
export function foldedBy(url: string, learnt: Iterable<Rewriting>): string {
  return inOrder(learnt).reduce(rewritten, url);
}
