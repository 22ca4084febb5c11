/**
 * Zones of a network on this machine: a network namespace for each, joined by a bridge in another one (the hub). Zones can
 * be cut off from each other, silently, in one direction or both, while the hub reaches all of them.
 */
import { execFileSync } from 'node:child_process';

export interface Zones {
  /** The command that starts another one in the hub. */
  readonly hub: readonly string[];
  readonly zones: readonly { readonly host: string; readonly within: readonly string[] }[];
  remove(): void;
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
const within = (name: string) => ['ip', 'netns', 'exec', name];
const hostOf = (zone: number) => `10.199.0.${zone + 1}`;
/** Of the hub. */
export const hubHost = '10.199.0.254';

/** Why there can be no zones here; undefined: there can. */
export function zonesMissing(): string | undefined {
  const name = `cs-try-${process.pid}`;
  try {
    ip('netns', 'add', name);
    try {
      // A name that `ip` does not take for a keyword, unlike `a`.
      ip('-n', name, 'link', 'add', 'hub', 'type', 'bridge');
    } finally {
      ip('netns', 'del', name);
    }
    return undefined;
  } catch (error) {
    return `network namespaces need Linux, iproute2 and root: ${(error as Error).message.split('\n')[0]}`;
  }
}

export function createZones(count: number): Zones {
  const name = `cs-${process.pid}`;
  const names = Array.from({ length: count }, (_, zone) => `${name}-${zone + 1}`);
  const made: string[] = [];
  const remove = () => {
    for (const one of made.reverse()) ip('netns', 'del', one);
  };
  try {
    for (const one of [name, ...names]) {
      ip('netns', 'add', one);
      made.push(one);
      ip('-n', one, 'link', 'set', 'lo', 'up');
    }
    ip('-n', name, 'link', 'add', 'hub', 'type', 'bridge');
    ip('-n', name, 'addr', 'add', `${hubHost}/24`, 'dev', 'hub');
    ip('-n', name, 'link', 'set', 'hub', 'up');
    names.forEach((one, zone) => {
      ip('-n', name, 'link', 'add', `to${zone}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', one);
      ip('-n', name, 'link', 'set', `to${zone}`, 'master', 'hub', 'up');
      ip('-n', one, 'addr', 'add', `${hostOf(zone)}/24`, 'dev', 'eth0');
      ip('-n', one, 'link', 'set', 'eth0', 'up');
    });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    hub: within(name),
    zones: names.map((one, zone) => ({ host: hostOf(zone), within: within(one) })),
    remove,
  };
}

/** A direction between two zones. */
export interface Way {
  readonly from: number;
  readonly to: number;
}

/** Both directions between a zone and all others. */
export function waysAround(zones: Zones['zones'], one: number): Way[] {
  const others = zones.flatMap((_, other) => (other === one ? [] : [other]));
  return others.flatMap((other) => [
    { from: one, to: other },
    { from: other, to: one },
  ]);
}

/** Frames on these ways go to an address that nobody has. */
export function cut(zones: Zones['zones'], ways: readonly Way[]): void {
  forEachWay(zones, ways, (name, host) =>
    ip('-n', name, 'neigh', 'replace', host, 'lladdr', '02:00:00:00:00:01', 'nud', 'permanent', 'dev', 'eth0'),
  );
}

export function heal(zones: Zones['zones'], ways: readonly Way[]): void {
  forEachWay(zones, ways, (name, host) => ip('-n', name, 'neigh', 'del', host, 'dev', 'eth0'));
}

function forEachWay(zones: Zones['zones'], ways: readonly Way[], act: (name: string, host: string) => void): void {
  for (const { from, to } of ways) act(zones[from]!.within.at(-1)!, zones[to]!.host);
}
