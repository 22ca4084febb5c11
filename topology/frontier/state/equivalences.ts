/**
 * Learned rewritings of a partition's hosts: for each host, how often a redirect proved a rewriting
 * (url/rewriting.ts), and how often a page that exists without it contradicted it.
 *
 * Evidence counts only for the host that gave it, so no site can have another's pages taken for its own. Proofs count
 * by distinct targets: a site that redirects all its pages to one proves nothing. Rows of the checkpoint, by host
 * key, written with the position and never ahead of it. Cost: about 200 B a host that redirects.
 */
import type { Rewriting } from '../../url/rewriting.ts';
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Row } from '../storage/store-job.ts';

export interface Evidence {
  /** Distinct targets since the last contradiction. */
  readonly proofs: number;
  /** Number of contradictions. */
  readonly against: number;
  /** Marks of the last targets (a word of their fingerprints), until the rewriting is learned. */
  readonly targets: readonly number[];
}

export function evidenceOf({ proofs, against, targets }: Evidence): Evidence {
  return { proofs, against, targets };
}

export const noEvidence: Evidence = { proofs: 0, against: 0, targets: [] };

export type HostEvidence = ReadonlyMap<Rewriting, Evidence>;

/** Most doublings of the required proofs; each contradiction doubles them once. */
const doublingsMax = 6;

/** Proofs that a rewriting needs: twice as many after each contradiction. */
export function proofsNeeded({ against }: Evidence, proofs: number): number {
  return proofs * 2 ** Math.min(against, doublingsMax);
}

export function isLearnt(evidence: Evidence, proofs: number): boolean {
  return evidence.proofs >= proofsNeeded(evidence, proofs);
}

const none: HostEvidence = new Map();

export class Equivalences {
  readonly hosts = new Map<string, Map<Rewriting, Evidence>>();
  /** Hosts with rows that are not in the checkpoint yet. */
  #unsaved = new Set<string>();

  of(hostKey: string): HostEvidence {
    return this.hosts.get(hostKey) ?? none;
  }

  put(hostKey: string, rewriting: Rewriting, evidence: Evidence): void {
    const host = this.hosts.get(hostKey);
    if (host === undefined) this.hosts.set(hostKey, new Map([[rewriting, evidence]]));
    else host.set(rewriting, evidence);
    this.#unsaved.add(hostKey);
  }

  /** A host is purged. */
  forget(hostKey: string): void {
    if (this.hosts.delete(hostKey)) this.#unsaved.add(hostKey);
  }

  /** Rows that changed since the last call. Key: `e` and the host key. */
  takeRows(): Row[] {
    const keys = [...this.#unsaved].sort();
    this.#unsaved = new Set();
    return keys.map((key) => ({ key: Buffer.from(`e${key}`), value: this.hosts.has(key) ? this.#save(key) : null }));
  }

  load(key: string, value: Buffer): void {
    const reader = new ByteReader(value);
    const host = new Map<Rewriting, Evidence>();
    while (!reader.done) {
      const [rewriting, proofs, against] = [reader.string(), reader.uint(), reader.uint()];
      const targets: number[] = [];
      for (let left = reader.uint(); left > 0; left--) targets.push(reader.uint());
      host.set(rewriting, { proofs, against, targets });
    }
    this.hosts.set(key, host);
  }

  #save(key: string): Buffer {
    const writer = new ByteWriter(64);
    for (const [rewriting, { proofs, against, targets }] of this.of(key)) {
      writer.string(rewriting);
      for (const number of [proofs, against, targets.length, ...targets]) writer.uint(number);
    }
    return writer.take();
  }
}
