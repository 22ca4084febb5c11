/**
 * A reader of our output that goes away, as head and less do, is no failure: what runs is told to stop as by a signal, so
 * that a crawl drains, and whatever else is at work ends. Nothing is said: nobody reads it. An output that can't be
 * written is one, and is told on stderr; what can't be said on stderr can be said nowhere.
 */
import { say } from './say.ts';

export function stopWithReader(): void {
  let isGone = false;
  const onGone = () => {
    if (isGone) return;
    isGone = true;
    // Who hears the signal takes its time to stop; a second one would have it leave at once.
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
  };
  process.stderr.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') onGone();
  });
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return onGone();
    say(`the output can't be written: ${message}: make room, or send it elsewhere`, 'error', { code: code ?? '' });
    process.exit(1);
  });
}
