import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surtOf } from '../../../../services/extras/archive/surt.ts';

// The old loop over the whole URL, once for each level, took minutes for it.
test('nested escapes are decoded completely, a hundred thousand deep', () => {
  assert.equal(surtOf(`http://www.a.test/%${'25'.repeat(100_000)}41`), 'test,a)/a');
});

test('the last of several session ids is removed, whatever the rest looks like', () => {
  const session = 'abcdefghijklmnopqrstuvwx';
  assert.equal(surtOf(`http://a.test/(${session})/x/(${session})/b.aspx?C=1`), `test,a)/(${session})/x/b.aspx?c=1`);
  assert.equal(surtOf(`http://a.test/(${session})/b.htm`), `test,a)/(${session})/b.htm`);
  assert.equal(surtOf('http://a.test/?xcfid=1&cftoken=2&z=3'), 'test,a)/?xz=3');
});
