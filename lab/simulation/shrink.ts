/** Shrinks a failing run: leaves out faults, one after another, while it still fails. */
import { type RunOptions, type RunReport, run } from './run.ts';

export async function shrink(
  report: RunReport,
  runAgain: (seed: number, options: RunOptions) => Promise<RunReport> = run,
): Promise<RunReport> {
  let smallest = report;
  for (let at = 0; at < smallest.faults.length; ) {
    const faults = smallest.faults.filter((_, index) => index !== at);
    const again = await runAgain(report.seed, { faults });
    if (again.violations.length > 0) smallest = again;
    else at += 1;
  }
  return smallest;
}
