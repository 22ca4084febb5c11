/**
 * Hostile owners, in a process of their own. A line on its standard input says whom to attack, as JSON; it goes on until that ends.
 * Prints a line of JSON for each thing that it should not have got, and at the end how its calls were answered.
 */
import { setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline';
import { type Attacker, ownerAttacks } from './owner-attacks.ts';

export interface Orders {
  readonly base: string;
  readonly sitePort: number;
  readonly others: readonly string[];
  readonly owners: readonly { readonly name: string; readonly key: string; readonly attack: string }[];
}

const [line] = (await new Promise<string[]>((resolve) => {
  createInterface({ input: process.stdin }).once('line', (text) => resolve([text]));
})) as [string];
const { base, sitePort, others, owners } = JSON.parse(line) as Orders;
const end = new AbortController();
process.stdin.resume().once('end', () => end.abort());
setMaxListeners(0, end.signal);
const statuses = new Map<string, Map<string, number>>();
await Promise.all(owners.map(({ name, key, attack }) => ownerAttacks[attack]!(attacker(name, key, attack))));
for (const [attack, counts] of statuses) console.log(JSON.stringify({ attack, counts: Object.fromEntries(counts) }));
process.exit(0);

function attacker(name: string, key: string, attack: string): Attacker {
  const counts = new Map<string, number>();
  statuses.set(attack, counts);
  return {
    ...{ base, name, key, sitePort, others, signal: end.signal },
    async call(method, path, body) {
      const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const signal = AbortSignal.any([end.signal, AbortSignal.timeout(60_000)]);
      try {
        const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
        const response = await fetch(`${base}${path}`, init);
        const text = await response.text();
        count(`${response.status}`);
        return { status: response.status, text };
      } catch (error) {
        count('no answer');
        throw error;
      }
    },
    report: (what) => console.log(JSON.stringify({ fault: `${attack}: ${what}` })),
  };
}
