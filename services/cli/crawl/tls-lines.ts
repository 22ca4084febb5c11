/** The report's lines about hosts where TLS failed, and how to try them again. */
import { withoutPort } from '../../../topology/url/host-key.ts';
import { ownName } from '../../runtime/own-name.ts';

/** Most hosts named in a line. */
const namedMax = 5;

/** `resume`: the command that continues the crawl; null: other processes do so, or the same command again. */
export function tlsLines(hosts: ReadonlyMap<string, string>, place: string, resume: string | null): string[] {
  const [first] = hosts;
  if (first === undefined) return [];
  const [hostKey, reason] = first;
  const names = [...hosts.keys()].slice(0, namedMax).join(' ');
  const rest = hosts.size > namedMax ? ` and ${hosts.size - namedMax} more` : '';
  const trusting = `--ca FILE, or --insecure ${withoutPort(hostKey)}`;
  const back =
    resume === null
      ? `to retry, start fetchers with ${trusting}, then run: ${ownName()} requeue --host ${hostKey} --outcome dead ${place}`
      : `to retry: ${ownName()} ${resume} with ${trusting}`;
  return [`TLS errors prevent requests to ${names}${rest}: ${reason}`, back];
}
