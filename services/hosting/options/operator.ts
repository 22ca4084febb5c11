/** The sender of a command that changes a running crawl. */
import { hostname, userInfo } from 'node:os';
import type { KafkaFlags } from './crawl-place.ts';

export interface OperatorFlags extends KafkaFlags {
  readonly by: string;
  readonly json?: boolean;
}

/** Options of commands about a host or a URL that the crawl should know. */
export interface TargetFlags extends OperatorFlags {
  readonly force?: boolean;
}

/** The sender, if no other is named. */
export function operatorName(): string {
  return `${userInfo().username}@${hostname()}`;
}
