/** The address of the dashboard that a running command prints. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../../../lab/process/command.ts';

export async function dashboardOf(running: Running): Promise<string> {
  for (;;) {
    const url = /(http:\/\/\S+\/dashboard\/)/.exec(running.output())?.[1];
    if (url !== undefined) return url;
    assert.equal(running.child.exitCode, null, running.output());
    await sleep(20);
  }
}
