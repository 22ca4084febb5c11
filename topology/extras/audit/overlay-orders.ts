/**
 * The orders of a policy's overlays for a host, read from the policy on `control`. Hosts are compared as reversed text:
 * a host is in a domain if its reversed name starts with the reversed domain.
 */

/** The fields of an overlay that concern pacing. */
export interface OverlayOrders {
  readonly name: string;
  readonly match: {
    readonly hosts?: readonly string[];
    readonly domains?: readonly string[];
    readonly surts?: readonly string[];
  };
  readonly set: PaceOrders & { readonly robotsNotAsked?: string | null };
}

/** Returns the reason of the last matching overlay for not requesting a host's robots.txt; null: it is requested. */
export function robotsReason(overlays: readonly OverlayOrders[], host: string): string | null {
  const deciding = overlays.findLast(({ match, set }) => set.robotsNotAsked !== undefined && matches(match, host));
  return deciding?.set.robotsNotAsked ?? null;
}

interface PaceOrders {
  readonly delayMs?: number;
  readonly delayFactor?: number;
  readonly leases?: number;
}

export interface OverlaidPace extends PaceOrders {
  /** The last overlay that sets the host's pace. */
  readonly name?: string;
}

/** For each field, the last matching overlay that sets it decides. */
export function overlaidPace(overlays: readonly OverlayOrders[], host: string): OverlaidPace {
  let pace: OverlaidPace = {};
  for (const { name, match, set } of overlays) {
    const { delayMs, delayFactor, leases } = set;
    if ((delayMs ?? delayFactor ?? leases) === undefined || !matches(match, host)) continue;
    pace = {
      ...pace,
      name,
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(delayFactor === undefined ? {} : { delayFactor }),
      ...(leases === undefined ? {} : { leases }),
    };
  }
  return pace;
}

function matches({ hosts = [], domains = [], surts = [] }: OverlayOrders['match'], host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  const port = host.slice(name.length);
  const turned = turnedAround(name);
  return (
    hosts.some((one) => one.toLowerCase() === host || one.toLowerCase() === name) ||
    domains.some((one) => turned.startsWith(turnedAround(one.toLowerCase().replace(/^\.|\.$/g, '')))) ||
    surts.some((surt) => {
      const text = surt.toLowerCase().replace(/^\(/, '');
      // One that is open names a domain; a closed one names a host, with its port if it has one.
      if (!text.includes(')')) return turned.startsWith(text);
      const [labels = '', number = ''] = text.slice(0, text.indexOf(')')).split(':');
      const closed = labels.endsWith(',') ? labels : `${labels},`;
      return closed === turned && (number === '' || `:${number}` === port);
    })
  );
}

/** `org,example,` for example.org; an IP address unchanged, with a comma. */
function turnedAround(name: string): string {
  return /^\d+\.\d+\.\d+\.\d+$/.test(name) ? `${name},` : `${name.split('.').reverse().join(',')},`;
}
