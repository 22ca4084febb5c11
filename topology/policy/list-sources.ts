/**
 * The lists for policies that are in force or about to be. The service that reads files puts sources in here before a
 * policy that needs them is decided on; those of former policies are dropped.
 */
import type { ListSource } from '../url/url-lists.ts';
import { noLists } from '../url/url-lists.ts';

export class ListSources {
  #sources: ListSource[] = [];

  put(source: ListSource): void {
    this.#sources.unshift(source);
  }

  /** Drops all but the newest source: no other policy is on its way. */
  keepNewest(): void {
    if (this.#sources.length > 1) this.#sources.length = 1;
  }

  /** Answers from any source. If none has the list, throws the error of the newest source. */
  readonly source: ListSource = (reference) => {
    let failure: unknown;
    for (const source of this.#sources) {
      try {
        return source(reference);
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return noLists(reference);
  };
}
