/** How many of some mutants were noticed, and what that says of all that they were drawn from. */
export interface Score {
  noticed: number;
  tried: number;
}

/** 95 % of the draws have the share of all mutants between these two (Wilson 1927). */
export function interval({ noticed, tried }: Score): readonly [low: number, high: number] {
  if (tried === 0) return [0, 1];
  const z = 1.96;
  const share = noticed / tried;
  const middle = share + (z * z) / (2 * tried);
  const half = z * Math.sqrt((share * (1 - share)) / tried + (z * z) / (4 * tried * tried));
  const scale = 1 + (z * z) / tried;
  return [(middle - half) / scale, (middle + half) / scale];
}

export function scoreText(score: Score): string {
  const percent = (share: number) => (100 * share).toFixed(1);
  const [low, high] = interval(score);
  const { noticed, tried } = score;
  return `${noticed} of ${tried}: ${percent(noticed / Math.max(1, tried))} % (95 %: ${percent(low)} to ${percent(high)})`;
}
