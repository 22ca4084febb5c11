/** URLs that only led to redirects: in a circle, or more than the crawl follows. */

/** A URL, and where its redirects went. */
export interface LostRedirect {
  readonly url: string;
  /** In plain words. */
  readonly why: string;
}

export class RedirectsReported {
  /** URL → where its newest answer sent us, both normal; in the order of asking. */
  readonly #targets = new Map<string, string>();

  redirected(url: string, target: string): void {
    this.#targets.set(url, target);
  }

  /** Its newest answer was no redirect. */
  answered(url: string): void {
    this.#targets.delete(url);
  }

  /**
   * Returns a chain for each URL that no redirect leads to, and one for each circle that none leads into. `hopsMax`:
   * redirects that the crawl follows. `wasAnswered`: called only with URLs of `ends`.
   */
  lost(hopsMax: number, wasAnswered: (url: string) => boolean): LostRedirect[] {
    const lost: LostRedirect[] = [];
    const seen = new Set<string>();
    const judge = (url: string) => {
      const { path, isCircle } = this.#walk(url);
      for (const one of path) seen.add(one);
      const last = path.at(-1)!;
      if (isCircle) lost.push({ url, why: `redirects in a circle: ${shown(path)}` });
      else if (path.length - 1 > hopsMax && !wasAnswered(last))
        lost.push({ url, why: `more than ${hopsMax} redirects: ${shown(path)}` });
    };
    const targets = new Set(this.#targets.values());
    for (const url of this.#targets.keys()) if (!targets.has(url)) judge(url);
    for (const url of this.#targets.keys()) if (!seen.has(url)) judge(url);
    return lost;
  }

  /** URLs beyond the redirects that are followed: whether they were answered decides. */
  ends(hopsMax: number): Set<string> {
    const ends = new Set<string>();
    const targets = new Set(this.#targets.values());
    for (const url of this.#targets.keys()) {
      if (targets.has(url)) continue;
      const { path, isCircle } = this.#walk(url);
      if (!isCircle && path.length - 1 > hopsMax) ends.add(path.at(-1)!);
    }
    return ends;
  }

  /** Follows redirects to their end, or to the point where a circle closes. */
  #walk(url: string): { readonly path: readonly string[]; readonly isCircle: boolean } {
    const path = [url];
    const met = new Set(path);
    for (let at = url; ; ) {
      const next = this.#targets.get(at);
      if (next === undefined) return { path, isCircle: false };
      path.push(next);
      if (met.has(next)) return { path, isCircle: true };
      met.add(next);
      at = next;
    }
  }
}

/** The first few and the last. */
function shown(path: readonly string[]): string {
  return path.length <= 4 ? path.join(' → ') : `${path.slice(0, 3).join(' → ')} → … → ${path.at(-1)}`;
}
