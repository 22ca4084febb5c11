import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needsIsolation } from '../../../../services/runtime/store/rocksdb-binding.ts';
import { openRocksdbStore } from '../../../../services/runtime/store/rocksdb-store.ts';
import { storeError } from '../../../../services/runtime/store/store-errors.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { temporaryFolder } from './temporary-folder.ts';

const locked = (folder: string) => (error: unknown) =>
  error instanceof CrawlstreamError &&
  error.code === 'DATA_FOLDER_LOCKED' &&
  error.message.includes(folder) &&
  error.message.includes('--data') &&
  !error.message.includes('\n');

describe('RocksDB store', () => {
  it('a RocksDB store names the folder and the remedy when this or another process has it open', async () => {
    const folder = join(temporaryFolder(), 'db');
    const store = await openRocksdbStore(folder);
    await assert.rejects(openRocksdbStore(folder), locked(folder));
    const module = fileURLToPath(new URL('../../../../services/runtime/store/rocksdb-store.ts', import.meta.url));
    const script = `import(${JSON.stringify(module)}).then((m) => m.openRocksdbStore(${JSON.stringify(folder)})).then(() => console.log('opened'), (e) => console.log(e.code, e.message))`;
    const child = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    await new Promise((resolve) => child.once('close', resolve));
    const holder = existsSync('/proc/locks') ? ` (process ${process.pid})` : '';
    assert.match(out, /^DATA_FOLDER_LOCKED /);
    assert.ok(out.includes(`in use by another process${holder}: stop`), out);
    await store.close();
    await (await openRocksdbStore(folder)).close();
  });

  it('a RocksDB store that cannot have its lock says why: open files, or a full disk', () => {
    for (const [reason, code, remedy] of [
      ['Too many open files', 'STORE_FAILED', /ulimit -n/],
      ['No space left on device', 'DISK_FULL', /free some disk space/],
    ] as const) {
      const { code: given, message } = storeError(new Error(`IO error: lock /d/LOCK: ${reason}`), '/d');
      assert.equal(given, code);
      assert.match(message, remedy);
    }
  });

  it('a RocksDB store distinguishes a full disk from other failures', () => {
    const full = storeError(
      new Error('IO error: No space left on device: While appending to file: /d/000004.log'),
      '/d',
    );
    assert.equal(full.code, 'DISK_FULL');
    assert.match(full.message, /\/d is full/);
    assert.equal(storeError(new Error('Corruption: block checksum mismatch in /d/block'), '/d').code, 'STORE_FAILED');
  });

  it('a RocksDB store isolates its native code from that of Node on Linux from Node 21 on', () => {
    assert.equal(needsIsolation('linux', '20.20.2'), false);
    for (const version of ['21.0.0', '22.20.0', '24.19.0', '26.0.1']) assert.ok(needsIsolation('linux', version));
    for (const platform of ['darwin', 'win32'] as const) assert.equal(needsIsolation(platform, '24.19.0'), false);
  });
});
