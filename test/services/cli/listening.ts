/** The HTTP side of a running command. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../../../lab/process/command.ts';

/** The address it says it listens on. */
export async function listening(running: Running): Promise<string> {
  for (;;) {
    const url = /listening on (http:\/\/\S+)/.exec(running.output())?.[1];
    if (url !== undefined) return url;
    assert.equal(running.child.exitCode, null, running.output());
    await sleep(20);
  }
}

export async function untilReady(url: string): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(20);
}

/** Values by series, as `name{labels}`; the label `crawl`, which all have, is left out. */
export async function scrape(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/,?crawl="[^"]*"/, '').replace('{}', ''));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}
