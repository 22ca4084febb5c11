/** Two network namespaces on this machine, joined by a cable that can be pulled: the near one then has a link without a carrier. */
import { execFileSync } from 'node:child_process';

export interface Cable {
  /** Names of the namespaces. */
  readonly near: string;
  readonly far: string;
  /** Addresses of the far one. */
  readonly addresses: readonly string[];
  pull(): void;
  plug(): void;
  remove(): void;
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });

/** A string: why there can be none here. */
export function layCable(addressCount: number): Cable | string {
  const [near, far] = [`cs-near-${process.pid}`, `cs-far-${process.pid}`];
  const made: string[] = [];
  const remove = () => {
    for (const one of made.splice(0)) ip('netns', 'del', one);
  };
  const addresses = Array.from({ length: addressCount }, (_, n) => `10.198.0.${n + 1}`);
  try {
    for (const one of [near, far]) {
      ip('netns', 'add', one);
      made.push(one);
      ip('-n', one, 'link', 'set', 'lo', 'up');
    }
    ip('-n', far, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', near);
    ip('-n', near, 'addr', 'add', '10.198.0.254/24', 'dev', 'eth0');
    for (const address of addresses) ip('-n', far, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    for (const one of [near, far]) ip('-n', one, 'link', 'set', 'eth0', 'up');
  } catch (error) {
    remove();
    return `network namespaces need Linux, iproute2 and root: ${(error as Error).message.split('\n')[0]}`;
  }
  const set = (state: 'down' | 'up') => void ip('-n', far, 'link', 'set', 'eth0', state);
  return { near, far, addresses, pull: () => set('down'), plug: () => set('up'), remove };
}
