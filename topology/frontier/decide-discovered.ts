/**
 * Discovered URLs: policy, then the seen test, then the host's queue.
 *
 * A message too large for one commit is taken in slices: the position then names the next link within it.
 */
import type { Discovered, LinkGroup } from '../../schemas/types.ts';
import { frontierLimits } from '../limits.ts';
import { bandCount } from '../policy/band.ts';
import type { Policy } from '../policy/policy.ts';
import type { TrapConfig } from '../policy/traps/trap-config.ts';
import { seenKey } from '../url/seen-key.ts';
import type { TallyName } from './changes.ts';
import { noticeTraps, trapAt } from './decide-traps.ts';
import type { Decision } from './decision.ts';
import type { Entry } from './entry.ts';
import { admittedEvents } from './traps-state.ts';

/** Takes links from number `from` on; returns the number of the next one, or 'done'. */
export function decideDiscovered(
  decision: Decision,
  policy: Policy,
  message: Discovered,
  from: number,
): number | 'done' {
  let number = 0;
  const admission = new Admission(decision, policy.config.traps);
  for (const group of message.groups) {
    if (number + group.links.length <= from) {
      number += group.links.length;
      continue;
    }
    for (let i = Math.max(0, from - number); i < group.links.length; i++) {
      if (decision.bytes + admission.bytes > frontierLimits.commitBytesSoft) {
        admission.flush();
        return number + i;
      }
      arrive(decision, policy, admission, group, i);
    }
    number += group.links.length;
  }
  admission.flush();
  return 'done';
}

function arrive(decision: Decision, policy: Policy, admission: Admission, group: LinkGroup, index: number): void {
  const { state } = decision;
  const link = group.links[index]!;
  decision.tally('discovered');
  const { depth, hop, intent, sourceUrl } = group;
  const verdict = policy.admit(link.url, depth, hop, {
    depth,
    hop,
    intent,
    sourceUrl,
    lastModifiedMs: link.lastModifiedMs,
  });
  if (!verdict.ok) {
    decision.tally(tallyOf(verdict.rule));
    return;
  }
  const { url, hostKey } = verdict;
  const forced = group.intent === 'force';
  const known = admission.holds(hostKey, url) || state.hasSeen(url);
  if (known && !forced) {
    decision.tally('duplicates');
    return;
  }
  const { urlsPerHostMax } = policy.config;
  const host = state.hosts.get(hostKey);
  if (urlsPerHostMax !== null && !forced && (host?.queue.size ?? 0) + admission.sizeOf(hostKey) >= urlsPerHostMax) {
    decision.tally('hostFull');
    return;
  }
  if (host !== undefined && host.facts.deadUntilMs > 0 && host.facts.deadUntilMs <= decision.nowMs) {
    // The verdict has run out: one more schedule for the host, from its last step.
    const facts = { ...host.facts, deadUntilMs: 0, failures: Math.max(0, host.facts.failures - 1) };
    decision.emit({ kind: 'host', hostKey, facts });
  }
  const band = group.front ? 0 : link.priority >= 0 ? Math.min(link.priority, bandCount - 1) : verdict.band;
  const { traps } = policy.config;
  const trap = traps === undefined || forced ? null : trapAt(decision, traps, hostKey, url);
  if (trap !== null) decision.tally('trapped');
  admission.add(hostKey, known, {
    url,
    depth: group.depth,
    hop: group.hop,
    attempts: 0,
    expiries: 0,
    band: trap?.band ?? band,
  });
}

function tallyOf(rule: string): TallyName {
  if (rule === 'scope') return 'outOfScope';
  if (rule === 'depth') return 'tooDeep';
  return rule === 'normalize' ? 'invalid' : 'filtered';
}

/** Gathers neighbours of one host into one change; what it holds counts as seen. */
class Admission {
  readonly #decision: Decision;
  readonly #traps: TrapConfig | undefined;
  #hostKey = '';
  #known = false;
  #entries: Entry[] = [];
  readonly #keys = new Set<string>();
  bytes = 0;

  constructor(decision: Decision, traps: TrapConfig | undefined) {
    this.#decision = decision;
    this.#traps = traps;
  }

  holds(hostKey: string, url: string): boolean {
    return hostKey === this.#hostKey && this.#keys.has(seenKey(url));
  }

  sizeOf(hostKey: string): number {
    return hostKey === this.#hostKey ? this.#entries.length : 0;
  }

  add(hostKey: string, known: boolean, entry: Entry): void {
    if (hostKey !== this.#hostKey || known !== this.#known) this.flush();
    this.#hostKey = hostKey;
    this.#known = known;
    this.#entries.push(entry);
    this.#keys.add(seenKey(entry.url));
    this.bytes += entry.url.length + 4;
  }

  flush(): void {
    if (this.#entries.length > 0) {
      this.#decision.emit({ kind: 'admit', hostKey: this.#hostKey, known: this.#known, entries: this.#entries });
      if (this.#traps !== undefined)
        noticeTraps(this.#decision, this.#traps, this.#hostKey, admittedEvents(this.#entries));
    }
    this.#entries = [];
    this.#keys.clear();
    this.bytes = 0;
  }
}
