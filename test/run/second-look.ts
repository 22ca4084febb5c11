/**
 * A second look at files that failed: each once more, with nothing beside it.
 *
 * A machine that others keep busy may break what no test can rule out, such as a broker's own timeouts. What fails alone
 * as well has failed; what passes is unsteady, which the run says at its end: a fault of the test, to be mended there.
 */
import type { TestResult } from './reporter.ts';
import type { GroupResult } from './run-group.ts';

export interface FirstRun {
  readonly files: readonly string[];
  readonly reported: readonly TestResult[];
  readonly fault: string;
}

export interface Verdict {
  readonly reported: readonly TestResult[];
  readonly faults: readonly string[];
  /** Names of tests that failed beside others and passed alone, with their files and the first line of why. */
  readonly unsteady: readonly string[];
}

/** `filesMax`: where more files failed, it is not the machine, and none is looked at again. */
export async function lookAgain(
  runs: readonly FirstRun[],
  filesMax: number,
  runAlone: (files: readonly string[]) => Promise<Pick<GroupResult, 'reported' | 'fault'>>,
): Promise<Verdict> {
  const reported: TestResult[] = [];
  const faults: string[] = [];
  const unsteady: string[] = [];
  const failedFiles = new Set(runs.flatMap((run) => filesFailed(run)));
  const isLookedAt = failedFiles.size <= filesMax;
  for (const run of runs) {
    const files = isLookedAt ? filesToRepeat(run) : [];
    if (files.length === 0) {
      reported.push(...run.reported);
      if (run.fault !== '') faults.push(`${run.files.join(' ')}: ${run.fault}`);
      continue;
    }
    if (files.length < run.files.length) reported.push(...run.reported.filter(({ file }) => !files.includes(file)));
    const failures = run.reported
      .filter(({ kind }) => kind === 'fail')
      .map(({ file, name, why }) => `${file}: ${name}: ${why.split('\n', 1)[0]}`);
    if (run.fault !== '') failures.push(`${files.join(' ')}: ${run.fault}`);
    const second = await runAlone(files);
    reported.push(...second.reported);
    if (second.fault !== '') faults.push(`${files.join(' ')}: ${second.fault}`);
    else if (!second.reported.some(({ kind }) => kind === 'fail')) unsteady.push(...failures);
  }
  return { reported, faults, unsteady };
}

/** A process that did not end well is repeated whole: what it would have said of its files is not known. */
function filesFailed({ files, reported, fault }: FirstRun): string[] {
  if (fault !== '') return [...files];
  return [...new Set(reported.filter(({ kind }) => kind === 'fail').map(({ file }) => file))];
}

/** So is one that failed in a suite which several test files share: the suite's own file has no test to run. */
function filesToRepeat(run: FirstRun): string[] {
  const failed = filesFailed(run);
  return failed.every((file) => run.files.includes(file)) ? failed : [...run.files];
}
