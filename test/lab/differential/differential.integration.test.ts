/** The crawler, curl, wget and Node's fetch read the same odd answers: a slice of `npm run differential`. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findDifferences } from '../../../lab/differential/run.ts';

const bundle = new URL('../../../dist/bundle/crawlstream.js', import.meta.url).pathname;
/** Each variant alone. */
const answers = 1100;
const skip = ['curl', 'wget'].find((name) => !isThere(name));

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('odd answers of HTTP', { skip: skip === undefined ? false : `no ${skip}: install it to run this` }, () => {
  const options = { answers, seed: 1, isBrowserLeftOut: true } as const;

  it('the crawler reads every end of a body that two of curl, wget and fetch read', async () => {
    const found = await findDifferences({ ...options, port: 21_180, only: 'framing:', program: bundle });
    assert.ok(found.asked > 200, `${found.asked} answers`);
    assert.deepEqual(found.findings, []);
  });

  it('a crawler that reads nothing differs at the plain answer', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'no-crawler-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const program = join(folder, 'none.cjs');
    writeFileSync(program, '');
    const { findings } = await findDifferences({ ...options, port: 21_181, only: 'page: plain', program });
    assert.deepEqual(
      findings.map(({ sort }) => sort),
      ['others read the whole, the crawler nothing'],
    );
  });
});
