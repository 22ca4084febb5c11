/**
 * Failures of TLS among the reasons that outcomes have: a host that cannot prove who it is fails with its robots.txt
 * already, so that the kind of the outcome alone does not tell.
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
