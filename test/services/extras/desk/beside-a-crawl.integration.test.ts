import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { desksBesideCrawls } from './running-desk.ts';

test(
  'orders of the webmaster page reach the crawl that runs its data folder within seconds',
  { timeout: 600_000 },
  (t) => desksBesideCrawls(t, ['--data', join(temporaryFolder(), 'data')]),
);
