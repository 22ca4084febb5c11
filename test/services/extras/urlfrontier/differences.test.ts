/** This server beside URLFrontier's own, case by case: the same answers, or those that docs/urlfrontier.md explains. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cases } from '../../../urlfrontier/differences.ts';
import { startRig } from './rig.ts';

test('answers equal those of URLFrontier’s own server, except for the documented differences', async () => {
  const rig = await startRig();
  const page = readFileSync(new URL('../../../../docs/urlfrontier.md', import.meta.url), 'utf8');
  for (const [n, { name, ask, original, ours }] of cases.entries()) {
    const isOther = ours !== undefined;
    assert.deepEqual(await ask(rig.client, `case-${n}`), isOther ? ours : original, name);
    assert.equal(page.includes(`| ${name} |`), isOther, `${name}: a row of the page if answers differ, and only then`);
  }
  await rig.close();
});
