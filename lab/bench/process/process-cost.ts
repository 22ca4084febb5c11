/** The cost of an act in this process, all threads: CPU time, which other load on the machine does not change. */

export interface Cost<T> {
  readonly value: T;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

export async function costOf<T>(act: () => Promise<T>): Promise<Cost<T>> {
  const end = startCost();
  const value = await act();
  return { value, ...end() };
}

/** The returned function reports what this process has used since. */
export function startCost(): () => Omit<Cost<never>, 'value'> {
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return {
      seconds: Number(((performance.now() - beganMs) / 1000).toFixed(3)),
      cpuSeconds: Number(((user + system) / 1e6).toFixed(3)),
    };
  };
}

/** CPU of this process so far. */
export function peakRssBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
