/** Which pages are alike, by every measure and in every index, as it was when it was kept. */
import { it } from 'node:test';
import { distinctFeaturesOf, type Features, featuresOf } from '../../../../topology/content/features.ts';
import { hamming, simhash, simhashOfDistinct } from '../../../../topology/content/simhash.ts';
import { sameText, textSignature } from '../../../../topology/content/text-signature.ts';
import { Clusters } from '../../../../topology/extras/dedup/clusters.ts';
import { isCommon, noCommonSlots, withPage } from '../../../../topology/extras/dedup/common-slots.ts';
import { ExactTable } from '../../../../topology/extras/dedup/exact-table.ts';
import { minhash, resemblance } from '../../../../topology/extras/dedup/minhash.ts';
import { MinhashIndex } from '../../../../topology/extras/dedup/minhash-index.ts';
import { hash32, nearness, titleHashes } from '../../../../topology/extras/dedup/near-duplicate.ts';
import { SimhashIndex } from '../../../../topology/extras/dedup/simhash-index.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../../kept/drawn.ts';
import { languages } from '../../content/drawn-words.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);

function* alike(draw: Draw): Generator<unknown> {
  const [simhashes, minhashes, clusters, exact] = [
    new SimhashIndex(),
    new MinhashIndex(),
    new Clusters(),
    new ExactTable(),
  ];
  let common = noCommonSlots();
  const texts: string[] = [];
  const pages: Parameters<typeof nearness>[0][] = [];
  const words = draw.of(languages);
  const menu = draw.list(draw.of([0, 6, 30]), () => draw.of(words)).join(' ');
  for (let id = 0; id < 24; id++) {
    const before = texts[draw.below(texts.length + 1)];
    const fresh = draw
      .list(draw.of([3, 20, 60, 200]), () => `${draw.of(words)}${draw.percent(30) ? draw.below(50) : ''}`)
      .join(' ');
    const edited = before?.replace(draw.of(words), `${draw.of(words)}${id}`);
    const text = `${menu} ${draw.percent(45) && edited !== undefined ? edited : fresh}`;
    texts.push(text);
    const [sim, min] = [simhash(text, 7), minhash(text, 7)];
    const found: unknown[] = [];
    if (sim !== null) {
      simhashes.near(sim, (other, distance) => found.push(['sim', other, distance]));
      simhashes.add(sim, id);
    }
    if (min !== null) {
      minhashes.near(min, (other, same) => {
        found.push(['min', other, same]);
        clusters.join(id, other);
      });
      minhashes.add(min, id);
      common = withPage(common, min);
      const title = titleHashes(draw.of(['A - Site', 'B | Site', 'a — site', '', 'Site: A', 'News of A']));
      pages.push({ minhash: min, title, host: hash32(draw.of(['a.test', 'b.test'])) });
      found.push(pages.map((page) => [nearness(pages.at(-1)!, page, common), resemblance(min, 0, page.minhash, 0)]));
    }
    clusters.add();
    const [hi, lo] = [draw.below(8), draw.below(2_000)];
    found.push(
      exact.get(hi, lo),
      [0, 9, 127].map((slot) => isCommon(common, slot, common.values[slot]!)),
    );
    exact.set(hi, lo, id);
    const other = simhash(texts[0]!, 7);
    yield [
      id,
      found,
      sim !== null && other !== null ? hamming(sim, other) : null,
      simhashOfDistinct(text, 3),
      textSignature(text),
    ];
    yield [
      sameText(textSignature(text), textSignature(texts[0]!)),
      inUse(featuresOf(text.slice(0, 80), 1)),
      inUse(distinctFeaturesOf(text.slice(0, 80), 1)),
    ];
  }
  yield [clusters.size, texts.map((_, id) => [...clusters.of(clusters.rootOf(id))])];
}

/** Some are alike. */
const drawnText = (draw: Draw) =>
  Array.from({ length: 60 }, (_, i) => `w${i * (1 + draw.below(2)) + (draw.percent(4) ? 9 : 0)}`).join(' ');

/** Enough that every table grows. */
function* many(draw: Draw): Generator<unknown> {
  const [simhashes, minhashes, clusters, exact] = [
    new SimhashIndex(),
    new MinhashIndex(),
    new Clusters(),
    new ExactTable(),
  ];
  for (let id = 0; id < 2_500; id++) {
    simhashes.add({ hi: draw.next() & 0xff0000ff, lo: draw.next() & 0x0f0f }, id);
    exact.set(draw.below(3), draw.below(900), id);
    clusters.add();
    if (id > 0 && draw.percent(60)) clusters.join(id, draw.below(id));
    if (id < 600) minhashes.add(minhash(drawnText(draw), 1)!, id);
  }
  for (let round = 0; round < 40; round++) {
    const found: unknown[] = [];
    simhashes.near({ hi: draw.next() & 0xff0000ff, lo: draw.next() & 0x0f0f }, (id, distance) =>
      found.push(id, distance),
    );
    minhashes.near(minhash(drawnText(draw), 1)!, (id, same) => found.push(id, same));
    yield [found, exact.get(draw.below(4), draw.below(900)), [...clusters.of(draw.below(2_500))].length];
  }
  yield [simhashes.size, minhashes.size, clusters.size];
}

/** Beyond it stands what the text before has left, of whichever test. */
function inUse({ count, highs, lows }: Features): Features {
  return { count, highs: highs.slice(0, count), lows: lows.slice(0, count) };
}

it('similar pages are found as recorded', () => assertKept(kept('alike'), bySeed(16, alike)));
it('large indexes answer as recorded', () => assertKept(kept('many'), bySeed(2, many)));
