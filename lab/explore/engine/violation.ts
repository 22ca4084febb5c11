/** The rules of the small worlds: each holds in every state. docs/design.md §7.1 lists them in the same words. */
export const rules = {
  early: 'No host is contacted before its delay has passed, nor while another request is under way there.',
  'one lease': 'A host has no more leases at once than slots.',
  'one place': 'Each admitted URL is in exactly one place: queued, waiting for a retry, leased, or done.',
  acked: 'An owner acts on a commit only where every reader of the log counts it.',
  tasks: 'A task is published once, and after the commit that grants its lease.',
  reported: 'A lease is over once its report has been read.',
  deadline: 'No lease ends before its deadline without a report.',
  positions: 'Positions of input topics never go back, nor beyond the end of a topic.',
  offsets: "An owner's commit expects the offset that follows its last one.",
  void: 'A record of a former owner, or out of order, changes no copy.',
  copies: 'A copy that read the same records is equal to its owner.',
  'decided again': 'An owner that was opened from the log decides as one that went on.',
  follows: 'A copy takes a record only if the log holds what the copy read before.',
  end: 'A crawl is declared over only if everything was fetched, and every crawl ends once nothing fails.',
  permit: 'A request of a crawl of a fleet waits, or has its permit, at one process alone, until it is answered.',
  quota: 'Partitions together never have, nor spend, more pages than the quota.',
  desk: "A webmaster never shortens the operator's delay and never ends the operator's block; no held host has a lease.",
  forget: 'What was purged neither waits nor is leased, and is never leased again.',
} as const;

export type Rule = keyof typeof rules;

/** A rule of a world is broken, or explored code threw. `since`: the events after the last explored state that led there. */
export class Violation extends Error {
  readonly rule: Rule | 'threw';
  readonly how: string;
  readonly since: readonly string[];

  constructor(rule: Rule | 'threw', how: string, since: readonly string[] = []) {
    super(`${rule}: ${how}`);
    this.rule = rule;
    this.how = how;
    this.since = since;
  }

  static of(error: unknown, since?: readonly string[]): Violation {
    if (!(error instanceof Violation)) return new Violation('threw', (error as Error).message, since);
    return since === undefined ? error : new Violation(error.rule, error.how, since);
  }
}
