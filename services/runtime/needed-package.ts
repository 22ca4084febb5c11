/**
 * Packages that only some crawls need (a browser, S3, OpenSearch, SQLite, OpenTelemetry) are optional ones: an installation
 * may leave them out (`npm install --omit=optional`), and what needs one says its name.
 */
import { CrawlstreamError } from '../../topology/errors.ts';

/** Throws INVALID_ARGUMENT where the package is not there. `what`: needs it. */
export async function neededPackage<Module>(name: string, what: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw isMissing(error, name) ? missingPackage(name, what, error) : error;
  }
}

export function isMissing(error: unknown, name: string): boolean {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && message.includes(`'${name}'`);
}

export function missingPackage(name: string, what: string, cause: unknown): CrawlstreamError {
  const message = `${what} needs ${name}, which this installation leaves out: npm install ${name}`;
  return new CrawlstreamError('INVALID_ARGUMENT', message, cause);
}
