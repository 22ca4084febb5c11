/**
 * Tombstones of purged hosts and URLs, which prevent re-admission. A purged host has a `hold` in its facts, so that
 * no link to it is admitted. For a purged URL, its fingerprint is stored with its host. Names and texts are not kept:
 * rows of the checkpoint that contain them are deleted when the checkpoint is next written.
 *
 * This state always belongs to the changelog's position, even if rows of hosts are ahead: the checkpoint writes it
 * with the position (checkpoint/save-checkpoint.ts). Cost: nothing until the first purge; then one lookup for each
 * link.
 */

import { urlRowKey } from '../changes/page-record.ts';
import type { Hosts } from '../hosts/host.ts';
import type { Row } from '../storage/store-job.ts';

const keyByte = 0x70;
const keyBytes = 13;

/** A host with finished URLs to delete from the checkpoint: those that ended by `atMs`. */
export interface Sweep {
  readonly hostKey: string;
  readonly atMs: number;
}

export class PurgeState {
  /** Was anything ever purged here? */
  on = false;
  /** Fingerprints of URLs, as pairs, by the number of their host. */
  readonly urls = new Map<number, number[]>();
  #unsaved: Row[] = [];
  #sweeps: Sweep[] = [];

  addUrl(host: number, hi: number, lo: number): void {
    this.#forgetRow(hi, lo);
    if (this.holds(host, hi, lo)) return;
    this.#add(host, hi, lo);
    this.#unsaved.push({ key: rowKeyOf(host, hi, lo), value: Buffer.from([1]) });
  }

  addHost(hostKey: string, atMs: number): void {
    this.on = true;
    this.#sweeps.push({ hostKey, atMs });
  }

  holds(host: number, hi: number, lo: number): boolean {
    const fingerprints = this.urls.get(host);
    if (fingerprints === undefined) return false;
    for (let at = 0; at < fingerprints.length; at += 2)
      if (fingerprints[at] === hi && fingerprints[at + 1] === lo) return true;
    return false;
  }

  /** May no record be kept of the URL? A dead host's queue may hold a URL that was purged meanwhile. */
  hides(host: number, url: string, fingerprintOf: (url: string) => Readonly<Uint32Array>): boolean {
    if (!this.urls.has(host)) return false;
    const [hi, lo] = fingerprintOf(url);
    return this.holds(host, hi!, lo!);
  }

  /** Was the URL purged, or its host? */
  refuses({ keys, facts }: Hosts, hostKey: string, hi: number, lo: number): boolean {
    const host = keys.find(hostKey);
    return host >= 0 && (facts.hold(host) === 'purged' || this.holds(host, hi, lo));
  }

  /** Rows for the checkpoint since the last call; records of the URLs go with them. */
  takeRows(): Row[] {
    const rows = this.#unsaved;
    this.#unsaved = [];
    return rows;
  }

  takeSweeps(): readonly Sweep[] {
    const sweeps = this.#sweeps;
    this.#sweeps = [];
    return sweeps;
  }

  load(key: Buffer): void {
    this.#add(key.readUInt32BE(1), key.readUInt32BE(5), key.readUInt32BE(9));
  }

  #add(host: number, hi: number, lo: number): void {
    this.on = true;
    const fingerprints = this.urls.get(host);
    if (fingerprints === undefined) this.urls.set(host, [hi, lo]);
    else fingerprints.push(hi, lo);
  }

  #forgetRow(hi: number, lo: number): void {
    this.#unsaved.push({ key: urlRowKey(hi, lo), value: null });
  }
}

function rowKeyOf(host: number, hi: number, lo: number): Buffer {
  const key = Buffer.allocUnsafe(keyBytes);
  key[0] = keyByte;
  key.writeUInt32BE(host, 1);
  key.writeUInt32BE(hi, 5);
  key.writeUInt32BE(lo, 9);
  return key;
}
