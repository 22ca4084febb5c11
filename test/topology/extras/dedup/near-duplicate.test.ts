import assert from 'node:assert/strict';
import { it } from 'node:test';
import { proseOf } from '../../../../lab/pages/prose.ts';
import { isCommon, noCommonSlots, pagesMin, withPage } from '../../../../topology/extras/dedup/common-slots.ts';
import { minhash, slots } from '../../../../topology/extras/dedup/minhash.ts';
import {
  hash32,
  nearness,
  type PageEvidence,
  textNearness,
  titleHashes,
} from '../../../../topology/extras/dedup/near-duplicate.ts';

const evidence = (text: string, title = '', host = 'a.test'): PageEvidence => ({
  minhash: minhash(text, 7)!,
  title: titleHashes(title),
  host: hash32(host),
});

it('features that most pages of a host share are common, once there are some pages; those of a few are not', () => {
  const menu = proseOf(1, 300);
  let common = noCommonSlots();
  const first = evidence(`${menu} ${proseOf(2, 100)}`).minhash;
  for (let n = 0; n < 30; n++) {
    const page = evidence(`${menu} ${proseOf(2 + n, 100)}`).minhash;
    common = withPage(common, page);
    if (n + 1 < pagesMin) for (let slot = 0; slot < slots; slot++) assert.ok(!isCommon(common, slot, page[slot]!));
  }
  const menuAlone = evidence(menu).minhash;
  const ofMenu = [...first].filter((value, slot) => value === menuAlone[slot]).length;
  const reported = [...first].filter((value, slot) => isCommon(common, slot, value)).length;
  assert.ok(Math.abs(reported - ofMenu) <= slots / 8, `${reported} of ${ofMenu}`);
});

it('common parts stay common, however many pages there are, until others outvote them', () => {
  const [menu, other] = [evidence(proseOf(1, 300)).minhash, evidence(proseOf(2, 300)).minhash];
  const slot = [...menu].findIndex((value, at) => value !== other[at]);
  const isReported = (page: typeof menu) => isCommon(common, slot, page[slot]!);
  let common = noCommonSlots();
  // A lead is counted up to 255.
  for (let n = 1; n <= 600; n++) {
    common = withPage(common, menu);
    assert.equal(isReported(menu), n >= pagesMin, `${n} pages`);
  }
  for (let n = 1; n <= 600; n++) {
    common = withPage(common, other);
    // 0.15 of the pages, 255 at most, ahead of all others: 38.25, or as many more than half.
    assert.equal(isReported(menu), 255 - n >= 38.25, `${n} other pages`);
    assert.equal(isReported(other), n - 256 + 1 >= 38.25, `${n} other pages`);
  }
});

it('pages that share only their site’s template are not near, copies with the same template are', () => {
  const menu = proseOf(1, 900);
  const page = (n: number, more = '') => evidence(`${menu} ${proseOf(100 + n, 100)} ${more}`, 'Welcome');
  let common = noCommonSlots();
  for (let n = 0; n < 20; n++) common = withPage(common, page(n).minhash);
  assert.equal(nearness(page(30), page(31), common), 0);
  assert.ok(nearness(page(30), page(30, 'changed'), common) > 0.9);
});

it('titles decide on one host; across hosts one part of them may name the site', () => {
  const text = proseOf(3, 300);
  const near = (a: PageEvidence, b: PageEvidence) => nearness(a, b, noCommonSlots()) > 0;
  assert.ok(near(evidence(text, 'Rivers'), evidence(text, '  RIVERS ')));
  assert.ok(!near(evidence(text, 'Rivers - A'), evidence(text, 'Rivers - B')));
  assert.ok(near(evidence(text, 'Rivers - A'), evidence(text, 'Rivers - B', 'b.test')));
  assert.ok(near(evidence(text, 'A: Rivers'), evidence(text, 'B: Rivers', 'b.test')));
  assert.ok(!near(evidence(text, 'Rivers'), evidence(text, 'Meadows', 'b.test')));
});

/** Two texts that agree in all slots but `differing`, of which `telling` are not common to their host. */
function near(reporting: number, differing: number, pages = 100, oneHost = false): number {
  const a = Uint16Array.from({ length: slots }, (_, slot) => slot + 1);
  const b = a.map((value, slot) => (slot < differing ? 0 : value));
  const common = {
    pages,
    values: a.map((value, slot) => (slot < reporting ? 0 : value)),
    leads: new Uint8Array(slots).fill(255),
  };
  return textNearness(a, Uint16Array.of(0, ...b), 1, common, oneHost);
}
const but = (differing: number) => (slots - differing) / slots;

it('texts are similar if three fifths of their uncommon slots agree, of eight slots and more', () => {
  assert.deepEqual([near(8, 3) > 0, near(8, 4) > 0], [true, false]);
  assert.deepEqual([near(100, 40) > 0, near(100, 41) > 0], [true, false]);
});

it('texts with all but seven slots common to the host may differ in one', () => {
  assert.deepEqual([near(7, 0), near(7, 1), near(7, 2)], [1, but(1), 0]);
});

it('without knowledge of the host all slots count: three fifths must agree, and four fifths on one host', () => {
  assert.deepEqual([near(7, 51, 7), near(7, 52, 7)], [but(51), 0]);
  assert.deepEqual([near(7, 25, 7, true), near(7, 26, 7, true)], [but(25), 0]);
});
