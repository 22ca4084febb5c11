/** The command, over files: what is slower, or gone, fails it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../services/runtime/store/temporary-folder.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const kept = join(temporaryFolder(), 'kept.json');
const run = (figures: Record<string, number>) => ({ bench: '', args: [], runs: [figures], failures: [] });
const file = {
  ...{ format: 1, takenAt: 'then', commit: 'c0ffee', changed: false, versions: { crawlstream: '0.2.0' } },
  machine: { cpu: 'one', cores: 2, memoryBytes: 1, system: 'linux' },
  benches: {
    yardstick: run({ cpuMillis: 10 }),
    fetch: run({ cpuMillisPerPage: 0.5 }),
    frontier: run({ cpuMicrosPerUrl: 3 }),
    'lease-cycle': run({ cpuMicrosPerUrl: 15 }),
    restart: run({ cpuSeconds: 2 }),
  } as Record<string, { runs: Record<string, number>[] }>,
};
type File = typeof file;
writeFileSync(kept, JSON.stringify(file));

function against(file: string): Promise<{ readonly code: number; readonly stdout: string }> {
  const args = ['--import', 'tsx', 'lab/bench/main.ts', 'against-release', '--since', kept, '--with', file];
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: root }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    ),
  );
}

function changed(change: (file: File) => void): string {
  const file = JSON.parse(readFileSync(kept, 'utf8')) as File;
  change(file);
  const path = join(temporaryFolder(), 'results.json');
  writeFileSync(path, JSON.stringify(file));
  return path;
}

test('a release is as fast as itself', async () => {
  const { code, stdout } = await against(kept);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /same +× 1\.00 {2}fetch cpuMillisPerPage/);
});

test('a page that costs a third more fails, and is named', async () => {
  const { code, stdout } = await against(
    changed(({ benches }) => {
      for (const run of benches['fetch']!.runs) run['cpuMillisPerPage']! *= 4 / 3;
    }),
  );
  assert.equal(code, 1);
  assert.match(stdout, /worse +× 1\.33 {2}fetch cpuMillisPerPage/);
});

test('a figure that was not measured fails', async () => {
  const { code, stdout } = await against(changed(({ benches }) => (benches['restart']!.runs = [])));
  assert.equal(code, 1);
  assert.match(stdout, /missing +restart cpuSeconds: [\d.]+ → none/);
});
