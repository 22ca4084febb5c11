/** Bounds of the policies that are kept because they were read lately (recent-policies.ts). */
export const recentPolicyLimits = {
  /** Most policies: about as many crawls of a fleet start within a second. A compiled one can take 2 MiB. */
  policiesMax: 16,
  /** Most characters of their texts together: a policy has a thousand. */
  charsMax: 1 << 20,
} as const;
