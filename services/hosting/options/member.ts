/** A frontier as a member of its group: its name, and how many warm copies each partition has. */
import { hostname } from 'node:os';
import { bad } from '../../runtime/option-text.ts';

export interface MemberFlags {
  readonly instanceId?: string;
  readonly standbys?: number;
}

/** The name of this process in its group; undefined: the group gives it one, new at each start. */
export function instanceIdOf({ instanceId: given }: MemberFlags, env: NodeJS.ProcessEnv): string | undefined {
  if (given !== undefined) return given;
  const { CRAWLSTREAM_INSTANCE_ID: named, KUBERNETES_SERVICE_HOST: cluster } = env;
  if (named) return instanceId('CRAWLSTREAM_INSTANCE_ID')(named);
  // Outside of containers, several processes may share a host name, and would remove each other from the group.
  return cluster ? hostname() : undefined;
}

/** Kafka's own rule. */
export function instanceId(option: string): (value: string) => string {
  return (value) => {
    if (!/^[A-Za-z0-9._-]{1,200}$/.test(value)) {
      throw bad(option, value, 'use at most 200 letters, digits, dots, _ and -');
    }
    return value;
  };
}
