/**
 * Conformance cases that others wrote (RFC and WHATWG test suites, other crawlers' tests). They are not part of the
 * project: tests read them where a folder with them lies beside the checkout, and are left out where it does not.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const corporaFolder = fileURLToPath(new URL('../../../shared/corpora', import.meta.url));

export function corpusFile(name: string): string {
  return `${corporaFolder}/${name}`;
}

/** False where the cases are here; else why their tests are left out. */
export const corporaSkip: string | false = existsSync(corporaFolder)
  ? false
  : 'conformance cases of other projects are not beside this checkout; the project’s own cases of the same rules ran';
