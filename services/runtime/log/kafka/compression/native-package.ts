/** Loads a package with native code when it is first needed, so that processes that do not use it do not pay for it. */
import { createRequire } from 'node:module';
import { CrawlstreamError } from '../../../../../topology/errors.ts';

const require = createRequire(import.meta.url);

/** Throws UNSUPPORTED if the package, or its build for this machine, is missing. */
export function nativePackage<T>(name: string, codec: string): () => T {
  let loaded: T | undefined;
  return () => {
    if (loaded) return loaded;
    try {
      return (loaded = require(name) as T);
    } catch (cause) {
      const message = `${codec} needs ${name}, which does not load on this machine: run npm ci, or have all producers use gzip`;
      throw new CrawlstreamError('UNSUPPORTED', message, cause);
    }
  };
}
