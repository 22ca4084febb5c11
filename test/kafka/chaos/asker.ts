/**
 * Asks frontiers by HTTP while they are struck: any of them, about any host, as dashboards and people do. Whoever is up
 * must answer from the owner, or from a standby that says how old its answer is, or say that nobody can.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { chanceOf } from '../../../lab/simulation/chance.ts';
import type { Fleet } from './fleet.ts';

export interface Answers {
  owner: number;
  standby: number;
  /** 503: nobody who has the partition could be asked. */
  nobody: number;
  /** The one that was asked was away, or froze; if it wakes within the time that a request has to arrive in, it says 408. */
  away: number;
}

export interface Asker {
  readonly answers: Readonly<Answers>;
  readonly findings: readonly string[];
  stop(): Promise<void>;
}

const everyMs = 500;

export function startAsker(fleet: Fleet, frontiers: readonly string[], urls: readonly string[], seed: number): Asker {
  const chance = chanceOf(seed, 'asker');
  const answers: Answers = { owner: 0, standby: 0, nobody: 0, away: 0 };
  const findings: string[] = [];
  const stopping = new AbortController();

  const ask = async () => {
    const address = fleet.address(chance.pick(frontiers));
    const url = chance.pick(urls);
    if (address === undefined) return void (answers.away += 1);
    const target = `http://${address}/urls?url=${encodeURIComponent(url)}`;
    const response = await fetch(target, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    const body = (await response?.json().catch(() => undefined)) as
      | { from?: { role: string; asOfMs: number } }
      | undefined;
    if (response === undefined || body === undefined || response.status === 408) answers.away += 1;
    else if (response.status === 503) answers.nobody += 1;
    else if (response.status !== 200) findings.push(`${target}: ${response.status} ${JSON.stringify(body)}`);
    else if (body.from?.role === 'owner') answers.owner += 1;
    else if (body.from?.role === 'standby' && body.from.asOfMs !== undefined) answers.standby += 1;
    else findings.push(`${target} does not say who answers: ${JSON.stringify(body)}`);
  };
  const asking = (async () => {
    while (!stopping.signal.aborted) {
      await ask();
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    answers,
    findings,
    async stop() {
      stopping.abort();
      await asking;
    },
  };
}
