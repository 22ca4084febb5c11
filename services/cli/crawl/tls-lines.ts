/** What the report of a crawl says of hosts that TLS kept out, and what brings them back. */
import { withoutPort } from '../../../topology/url/host-key.ts';
import { ownName } from '../terminal/own-name.ts';

/** Named in a line. */
const namedMax = 5;

/** `resume`: the command that goes on; null: that is for other processes, or the same one again. */
export function tlsLines(hosts: ReadonlyMap<string, string>, place: string, resume: string | null): string[] {
  const [first] = hosts;
  if (first === undefined) return [];
  const [hostKey, reason] = first;
  const names = [...hosts.keys()].slice(0, namedMax).join(' ');
  const rest = hosts.size > namedMax ? ` and ${hosts.size - namedMax} more` : '';
  const trusting = `--ca FILE, or --insecure ${withoutPort(hostKey)}`;
  const back =
    resume === null
      ? `once fetchers were started with ${trusting}: ${ownName()} requeue --host ${hostKey} --outcome dead ${place}`
      : `to fetch them after all: ${ownName()} ${resume} with ${trusting}`;
  return [`TLS kept out ${names}${rest}: ${reason}`, back];
}
