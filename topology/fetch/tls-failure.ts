/**
 * Failures of TLS among the reasons of outcomes: a host without a valid certificate already fails with its robots.txt,
 * so the kind of the outcome alone does not show it.
 */
import type { Outcome } from '../../schemas/types.ts';

const mark = 'TLS: ';

/** `reason`: in OpenSSL's words. */
export function tlsDetail(reason: string): string {
  return `${mark}${reason}`;
}

export function isTlsFailure({ kind, detail }: Pick<Outcome, 'kind' | 'detail'>): boolean {
  return kind === 'tlsFailed' || (kind === 'robotsUnreachable' && detail.includes(`: ${mark}`));
}
