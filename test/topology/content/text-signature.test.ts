import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proseOf } from '../../../lab/pages/prose.ts';
import { sameText, textSignature } from '../../../topology/content/text-signature.ts';

test('a rotating advertisement changes hardly any signature, another article always does', () => {
  let [same, mistaken] = [0, 0];
  for (let page = 0; page < 40; page++) {
    const article = proseOf(page, 1_800);
    const [one, other] = ['Shoes for the autumn', 'Fly to islands'].map((ad) => textSignature(`${ad} ${article}`));
    if (sameText(one!, other!)) same += 1;
    if (sameText(one!, textSignature(proseOf(1_000 + page, 1_800)))) mistaken += 1;
  }
  assert.equal(mistaken, 0);
  assert.ok(same >= 32, `${same} of 40`);
});

test('too little text has no signature', () => {
  assert.equal(textSignature('Hello'), '');
  assert.equal(sameText('', ''), false);
});
