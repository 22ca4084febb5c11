/** The address under which other members reach this one's HTTP side. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressText } from '../../runtime/http/listen-address.ts';

/**
 * The address it listens on; if that is every address (0.0.0.0, ::), that of the pod (POD_IP, by the downward API) or
 * else the machine's first that is not loopback. With TLS it begins with https://.
 */
export function advertised(listensOn: string, env: NodeJS.ProcessEnv, isSecure = false): string {
  return `${isSecure ? 'https://' : ''}${outerAddress(listensOn, env)}`;
}

function outerAddress(listensOn: string, env: NodeJS.ProcessEnv): string {
  const at = listensOn.lastIndexOf(':');
  const [host, port] = [listensOn.slice(0, at).replace(/^\[|\]$/g, ''), Number(listensOn.slice(at + 1))];
  if (host !== '0.0.0.0' && host !== '::') return listensOn;
  const { POD_IP: pod } = env;
  if (pod !== undefined && isIP(pod) !== 0) return addressText({ host: pod, port });
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outer = all.find(({ internal, family }) => !internal && (host === '::' || family === 'IPv4'));
  return addressText({ host: outer?.address ?? '127.0.0.1', port });
}
