/** `crawlstream replay` as a process. */
import { startCommand } from '../../../../../lab/process/command.ts';
import { listening } from '../../../cli/listening.ts';

export interface Replaying {
  readonly url: string;
  stop(): void;
}

export async function replaying(args: readonly string[]): Promise<Replaying> {
  const running = startCommand(['replay', ...args, '--http', '0'], { patienceMs: 500_000 });
  const stop = () => {
    running.child.kill('SIGKILL');
  };
  try {
    return { url: await listening(running), stop };
  } catch (error) {
    stop();
    throw error;
  }
}
