/** Consumers in an order in which each comes behind those that write what it reads. */
import type { Declaration } from './processor.ts';

/** Those that nothing orders keep their order. Throws where two read what the other writes. */
export function drainOrder<One extends Declaration>(given: readonly One[]): readonly One[] {
  const left = [...given];
  const ordered: One[] = [];
  while (left.length > 0) {
    const at = left.findIndex((one) => !left.some((other) => other !== one && feeds(other, one)));
    if (at < 0) throw new Error(`these read what the others write: ${left.map(({ name }) => name).join(', ')}`);
    ordered.push(...left.splice(at, 1));
  }
  return ordered;
}

/** `control` is for everyone, and orders nothing. */
function feeds({ writes }: Declaration, { reads }: Declaration): boolean {
  return writes.some((topic) => topic !== 'control' && reads.includes(topic));
}
