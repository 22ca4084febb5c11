/** A folder of a test's own, gone when the test file ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-test-'));
  after(() => {
    try {
      remove(folder);
    } catch {
      // A process that writes there is ended by a hook that comes later.
      process.once('exit', () => {
        try {
          remove(folder);
        } catch {
          // What is left in the machine's folder for temporary files is no fault of the test.
        }
      });
    }
  });
  return folder;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
