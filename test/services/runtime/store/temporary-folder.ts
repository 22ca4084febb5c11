/** A folder of a test's own, gone when the test file ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-test-'));
  // A process that was killed a moment ago may still write.
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}
