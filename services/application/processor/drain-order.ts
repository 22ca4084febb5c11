/** Sorts consumers so that each comes after those that write its inputs. */
import type { Declaration } from './processor.ts';

/** Consumers without an order between them keep their order. Throws if two read each other's output. */
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
