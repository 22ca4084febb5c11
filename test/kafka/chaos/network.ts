/** The ways that a strike cuts. Zones 0 to n - 1 have a broker each, zone n + i has the processes beside broker i. */
import type { Way } from '../zones/zones.ts';
import type { Strike } from './strikes.ts';

export function waysOf({ kind, target }: Pick<Strike, 'kind' | 'target'>, brokers: number): Way[] {
  const [role, number] = target.split('-');
  const zonesOf = (one: number) => (role === 'zone' ? [one, brokers + one] : [one]);
  const others = Array.from({ length: brokers }, (_, i) => i).filter((i) => i !== Number(number));
  const out = zonesOf(Number(number)).flatMap((from) => others.flatMap(zonesOf).map((to) => ({ from, to })));
  return kind === 'mute' ? out : [...out, ...out.map(({ from, to }) => ({ from: to, to: from }))];
}
