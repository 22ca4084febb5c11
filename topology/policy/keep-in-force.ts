import type { PolicyConfig } from './policy.ts';

/** A policy that does not speak of a pause, a bandwidth or traces leaves an operator's word on them standing. */
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
