import type { PolicyConfig } from './policy.ts';

/** Keeps an operator's pause, bandwidth or traces in force if a new policy does not mention them. */
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
