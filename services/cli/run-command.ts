/** Runs the command line. Errors a user can mend are one line on stderr and exit code 1 (2: the command line). */
import type { CommanderError } from 'commander';
import { CrawlstreamError } from '../../topology/errors.ts';
import { say } from '../runtime/logging/say.ts';
import { errorOf } from '../runtime/thrown.ts';
import { stopWithReader } from './terminal/closed-pipe.ts';
import { machineRefusal } from './terminal/machine-refusal.ts';
import { keepFilesPrivate } from './terminal/private-files.ts';

/** Resolves when the command has ended, with `process.exitCode` set. */
export async function run(): Promise<void> {
  stopWithReader();
  try {
    keepFilesPrivate();
    // Here, so that what keeps the many modules from being loaded, such as a limit of open files, is said as anything else is.
    const { createProgram } = await import('./program.ts');
    await (await createProgram(process.argv.slice(2))).parseAsync();
  } catch (error) {
    report(error);
  }
}

function report(error: unknown): void {
  const refused = error instanceof CrawlstreamError ? undefined : machineRefusal(error);
  if (`${(error as Partial<CommanderError>).code}`.startsWith('commander.')) {
    process.exitCode = (error as CommanderError).exitCode === 0 ? 0 : 2;
  } else if (error instanceof CrawlstreamError) {
    say(error.message, 'error', { code: error.code });
    process.exitCode = error.code === 'INVALID_ARGUMENT' || error.code === 'INVALID_SEED' ? 2 : 1;
  } else if (refused !== undefined) {
    say(refused.message, 'error', { code: refused.code });
    process.exitCode = 1;
  } else {
    say(`a bug, please report it: ${errorOf(error).stack}`, 'fatal');
    process.exitCode = 70;
  }
}
