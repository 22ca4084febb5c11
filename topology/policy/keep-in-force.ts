import type { PolicyConfig } from './policy.ts';

/**
 * If a new policy does not mention a pause, a bandwidth or traces, what an operator has ordered about them stays in
 * force.
 */
export function keepInForce<T extends Partial<PolicyConfig>>(
  { paused, bytesPerSecond, trace }: PolicyConfig,
  policy: T,
): T {
  return {
    ...(paused === undefined ? {} : { paused }),
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
    ...(trace === undefined ? {} : { trace }),
    ...policy,
  };
}
