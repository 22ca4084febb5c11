/** A broker of a test's own, and commands that are started beside it: all of them end with the test, the newest first. */
import type { TestContext } from 'node:test';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { type Running, startCommand } from '../../lab/process/command.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

export interface BesideBroker {
  readonly broker: TestBroker;
  /** For the folders of all of them. */
  readonly root: string;
  command(args: readonly string[]): Running;
  /** Called at the end, before what began earlier ends. */
  atEnd(end: () => unknown): void;
}

/** `patienceMs`: of the commands. */
export async function besideBroker(t: TestContext, patienceMs: number): Promise<BesideBroker> {
  const ends: (() => unknown)[] = [];
  const atEnd = (end: () => unknown) => void ends.push(end);
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const broker = await startBroker();
  atEnd(() => broker.stop());
  const command = (args: readonly string[]) => {
    const running = startCommand([...args], { patienceMs });
    atEnd(() => running.child.kill('SIGKILL'));
    return running;
  };
  return { broker, root: temporaryFolder(), command, atEnd };
}
