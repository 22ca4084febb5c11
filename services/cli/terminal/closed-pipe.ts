/**
 * If the reader of our output goes away, as head and less do, that is not a failure: the command is stopped as by a
 * signal, so that a crawl drains and other work ends. Nothing is printed, since it would have no reader. An output that
 * cannot be written is a failure, and is reported on stderr, if that can be written.
 */
import { say } from '../../runtime/logging/say.ts';

let isGone = false;

export function stopWithReader(): void {
  process.stderr.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') readerGone();
  });
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return readerGone();
    say(`the output can't be written: ${message}: free some disk space, or redirect it`, 'error', { code: code ?? '' });
    process.exit(1);
  });
}

/** Stops the command, once: a second signal would make it exit at once. */
export function readerGone(): void {
  if (isGone) return;
  isGone = true;
  process.exitCode ??= 0;
  // The handler of the signal takes its time to stop.
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
}
