/** Power cuts between two write-ahead logs of the stores on disk; what is durable is noted by a preloaded library. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileShim, exploreStoreFiles } from '../../../lab/crash/store-files-run.ts';
import { storeNames } from '../../../services/runtime/store/open-store.ts';
import { temporaryFolder } from '../../services/runtime/store/temporary-folder.ts';

const folder = temporaryFolder();
const shim = compileShim(folder);
const skip = shim === undefined && 'needs Linux and a C compiler';

for (const store of storeNames)
  test(`after a power cut between two write-ahead logs, ${store} has what was synced, and no write without the earlier ones`, {
    skip,
  }, async () => {
    let states = 0;
    for (let seed = 1; seed <= 3; seed++) {
      const found = await exploreStoreFiles(store, shim!, join(folder, 'run'), seed);
      assert.deepEqual(found.violations, []);
      states += found.states;
    }
    assert.ok(states >= 40, `${states} states`);
  });
