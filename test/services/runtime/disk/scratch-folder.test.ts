import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openScratchFolder, withScratchFolder } from '../../../../services/runtime/disk/scratch-folder.ts';
import { until } from '../../until.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const hourMs = 3_600_000;

test('a scratch folder is removed when its work ends, and when its work fails', async () => {
  const above = temporaryFolder();
  const made: string[] = [];
  const use = async (path: string) => {
    made.push(path);
    writeFileSync(join(path, 'rows'), 'x');
    return path;
  };
  assert.equal(await withScratchFolder(above, 'crawl-', use), made[0]);
  const fails = withScratchFolder(above, 'crawl-', async (path) => {
    await use(path);
    throw new Error('the work failed');
  });
  await assert.rejects(fails, /the work failed/);
  assert.equal(made.length, 2);
  assert.deepEqual(readdirSync(above), []);
  assert.equal(process.listeners('SIGTERM').length, 0, 'no listener stays');
});

test('a new scratch folder removes those that gave no sign of life for a day, and nothing else', async () => {
  const above = temporaryFolder();
  const silent = (name: string, hours: number) => {
    mkdirSync(join(above, name));
    writeFileSync(join(above, name, 'rows'), 'x');
    const at = (Date.now() - hours * hourMs) / 1000;
    utimesSync(join(above, name), at, at);
  };
  silent('crawl-~killed', 25);
  silent('crawl-~active', 23);
  silent('crawl-backup', 25);
  silent('crawl-~of a user', 25);
  silent('other-~killed', 25);
  symlinkSync(join(above, 'other-~killed'), join(above, 'crawl-~linked'));
  writeFileSync(join(above, 'crawl-~afile1'), 'x');
  utimesSync(join(above, 'crawl-~afile1'), 0, 0);
  const folder = await openScratchFolder(above, 'crawl-');
  assert.deepEqual(
    readdirSync(above).filter((name) => join(above, name) !== folder.path),
    ['crawl-backup', 'crawl-~active', 'crawl-~afile1', 'crawl-~linked', 'crawl-~of a user', 'other-~killed'],
  );
  assert.ok(existsSync(join(above, 'other-~killed', 'rows')));
  await folder.remove();
});

test('a scratch folder in use shows a sign of life every minute', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const above = temporaryFolder();
  const first = await openScratchFolder(above, 'crawl-');
  utimesSync(first.path, 0, 0);
  t.mock.timers.tick(60_000);
  t.mock.timers.reset();
  // The sign is written by another thread.
  await until(() => statSync(first.path).mtimeMs > 0);
  const second = await openScratchFolder(above, 'crawl-');
  assert.ok(existsSync(first.path));
  for (const one of [first, second]) await one.remove();
});

test('a process that exits removes its scratch folders', async () => {
  const before = process.listeners('exit');
  const above = temporaryFolder();
  const folder = await openScratchFolder(above, 'crawl-');
  writeFileSync(join(folder.path, 'rows'), 'x');
  const [onExit, ...others] = process.listeners('exit').filter((one) => !before.includes(one));
  assert.deepEqual(others, []);
  onExit!.call(process, 0);
  assert.deepEqual(readdirSync(above), []);
  await folder.remove();
  assert.deepEqual(process.listeners('exit'), before);
});
