/** The score of a URL for people: a line for each group and factor, with value, weight, and the facts behind it. */
import type { FactorScore, GroupScore } from '../../../topology/policy/score/score.ts';

export function scoreLines(groups: readonly GroupScore[], factors: readonly FactorScore[]): string[] {
  return groups.flatMap(({ group, weight, value }) => [
    `  ${line(group, weight, value)}`,
    ...factors
      .filter((one) => one.group === group)
      .map((one) => `    ${line(one.factor, one.weight, one.value)}  ${one.from}`.trimEnd()),
  ]);
}

function line(name: string, weight: number, value: number | null): string {
  return `${name.padEnd(14)}${value === null ? 'unknown' : value.toFixed(3).padEnd(7)}  weight ${weight}`;
}
