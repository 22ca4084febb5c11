/** A web site of software that nobody here wrote, on loopback. */
export interface RunningSite {
  /** Where a crawl begins. */
  readonly url: string;
  /** Ends its processes and removes its files. */
  stop(): Promise<void>;
}

export interface ZooSite {
  readonly name: string;
  /** Of a static site wget's set is the truth; in a wiki or a forge wget drowns. */
  readonly kind: 'static' | 'dynamic';
  /** Throws where a package cannot be had. */
  start(): Promise<RunningSite>;
}
