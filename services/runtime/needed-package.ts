/**
 * Loads packages that only some crawls need (a browser, S3, OpenSearch, SQLite, OpenTelemetry), and that are not
 * installed with the product. The error for a missing one contains the command that installs it.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import { installCommand } from './install-command.ts';

/** Throws INVALID_ARGUMENT if the package is missing. `what`: the feature that needs it. */
export async function neededPackage<Module>(name: string, what: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw isMissing(error, name) ? missingPackage([name], what, error) : error;
  }
}

export function isMissing(error: unknown, name: string): boolean {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && message.includes(`'${name}'`);
}

export function missingPackage(names: readonly string[], what: string, cause: unknown): CrawlstreamError {
  const message = `${what} needs ${names.join(' ')}, which this installation leaves out: ${installCommand(names)}`;
  return new CrawlstreamError('INVALID_ARGUMENT', message, cause);
}
