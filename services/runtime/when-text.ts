/** When something can happen, for people: a time that has passed is no plan. */
export function whenText(atMs: number, nowMs: number): string {
  return `${atMs <= nowMs ? 'since' : 'at'} ${new Date(atMs).toISOString()}`;
}
