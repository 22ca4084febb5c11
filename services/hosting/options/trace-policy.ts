/** Makes the policy's part about traces. */
import type { TraceConfig } from '../../../topology/trace/tracing.ts';

export interface TracePolicyFlags {
  readonly traceRatio?: number;
  readonly traceHosts?: readonly string[];
}

/** Absent: nothing is traced. */
export function traceOf({ traceRatio, traceHosts }: TracePolicyFlags): TraceConfig | undefined {
  if (traceRatio === undefined && traceHosts === undefined) return undefined;
  return { ratio: traceRatio ?? 0, hosts: traceHosts ?? [] };
}
