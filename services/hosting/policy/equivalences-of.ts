/** Applies options to the rewritings that hosts prove. */
import type { EquivalencesConfig } from '../../../topology/policy/equivalences.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';

/** Default number of proofs: two may be by chance. */
const usualProofs = 3;

/** Options, on top of the policy. */
export function equivalencesOf(
  { sameUrlProofs, canonicals }: { readonly sameUrlProofs?: number | 'none'; readonly canonicals?: boolean },
  before: EquivalencesConfig | undefined,
): Pick<PolicyConfig, 'equivalences'> {
  if (sameUrlProofs === undefined && !canonicals) return {};
  if (sameUrlProofs === 'none') return { equivalences: undefined };
  const proofs = sameUrlProofs ?? before?.proofs ?? usualProofs;
  return { equivalences: { ...before, proofs, ...(canonicals && { canonicals: true as const }) } };
}
