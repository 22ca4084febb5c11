/** Which pages are alike, by every measure and in every index, as it was when it was kept; and what links make of hosts. */
import { it } from 'node:test';
import { distinctFeaturesOf, type Features, featuresOf } from '../../../topology/content/features.ts';
import {
  feedSignature,
  hasNewEntries,
  isFeedSignature,
  pollSecondsOf,
} from '../../../topology/content/feed-signature.ts';
import { isForMachines } from '../../../topology/content/for-machines.ts';
import { languageOf } from '../../../topology/content/language.ts';
import { declaredCode } from '../../../topology/content/language-codes.ts';
import { scriptOf } from '../../../topology/content/script.ts';
import { hamming, simhash, simhashOfDistinct } from '../../../topology/content/simhash.ts';
import { sameText, textSignature } from '../../../topology/content/text-signature.ts';
import { Clusters } from '../../../topology/extras/dedup/clusters.ts';
import { isCommon, noCommonSlots, withPage } from '../../../topology/extras/dedup/common-slots.ts';
import { ExactTable } from '../../../topology/extras/dedup/exact-table.ts';
import { minhash, resemblance } from '../../../topology/extras/dedup/minhash.ts';
import { MinhashIndex } from '../../../topology/extras/dedup/minhash-index.ts';
import { hash32, nearness, titleHashes } from '../../../topology/extras/dedup/near-duplicate.ts';
import { SimhashIndex } from '../../../topology/extras/dedup/simhash-index.ts';
import { edgeKey, edgeValue, readEdges } from '../../../topology/extras/graph/edge-row.ts';
import { createHostGraph, inDegrees } from '../../../topology/extras/graph/host-graph.ts';
import { pageRank } from '../../../topology/extras/graph/pagerank.ts';
import { hubLinks } from '../../../topology/extras/push/hub-links.ts';
import { admissionOf, admitSpan, leaseSpan, queueSpan } from '../../../topology/trace/journey.ts';
import { formatTraceparent, parseTraceparent } from '../../../topology/trace/trace-context.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { assertKept } from '../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../kept/drawn.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);
const languages: readonly (readonly string[])[] = [
  'the river runs through a small town and the people who live there are happy with their work'.split(' '),
  'der Fluss fließt durch eine kleine Stadt und die Leute die dort wohnen sind mit ihrer Arbeit zufrieden'.split(' '),
  'la rivière traverse une petite ville et les gens qui y vivent sont contents de leur travail'.split(' '),
  'река течёт через маленький город и люди которые там живут довольны своей работой'.split(' '),
  ['这条河', '流过', '一个小镇', '那里的人', '都很', '满意'],
  ['川は', '小さな町を', '流れて', 'そこの人々は', '満足しています'],
  'ο ποταμός περνά από μια μικρή πόλη και οι άνθρωποι είναι ευχαριστημένοι'.split(' '),
  'реката тече през малък град и хората които живеят там са доволни от работата си'.split(' '),
  'річка тече через маленьке місто і люди які там живуть задоволені своєю роботою її'.split(' '),
  'река тече кроз мали град и људи који тамо живе задовољни су својим послом'.split(' '),
  'dòng sông chảy qua một thị trấn nhỏ và những người sống ở đó hài lòng với công việc của họ'.split(' '),
  'el río atraviesa un pueblo pequeño y la gente que vive allí está contenta con su trabajo'.split(' '),
  'o rio atravessa uma pequena cidade e as pessoas que lá vivem estão contentes com o seu trabalho'.split(' '),
  'il fiume attraversa una piccola città e le persone che ci vivono sono contente del loro lavoro'.split(' '),
  'de rivier loopt door een kleine stad en de mensen die er wonen zijn blij met hun werk'.split(' '),
  'floden rinner genom en liten stad och människorna som bor där är nöjda med sitt arbete'.split(' '),
  'floden løber gennem en lille by og folk som bor der er glade for deres arbejde'.split(' '),
  'elven renner gjennom en liten by og folk som bor der er fornøyd med jobben sin ikke'.split(' '),
  'rzeka płynie przez małe miasto a ludzie którzy tam mieszkają są zadowoleni ze swojej pracy'.split(' '),
  'řeka protéká malým městem a lidé kteří tam žijí jsou se svou prací spokojeni'.split(' '),
  'nehir küçük bir kasabadan geçiyor ve orada yaşayan insanlar işlerinden memnun'.split(' '),
  'يمر النهر عبر بلدة صغيرة والناس الذين يعيشون هناك سعداء بعملهم'.split(' '),
  'رودخانه از شهری کوچک می‌گذرد و مردمی که آنجا زندگی می‌کنند از کارشان راضی هستند'.split(' '),
  'הנהר עובר דרך עיירה קטנה והאנשים שגרים שם מרוצים מעבודתם'.split(' '),
  ['แม่น้ำ', 'ไหลผ่าน', 'เมืองเล็ก', 'และผู้คน', 'ที่อาศัย', 'อยู่ที่นั่น'],
  '강은 작은 마을을 지나고 그곳에 사는 사람들은 일에 만족한다'.split(' '),
  'नदी एक छोटे शहर से होकर बहती है और वहाँ रहने वाले लोग अपने काम से खुश हैं'.split(' '),
  ['12', '3.5', '---', 'a1b2', 'x'],
];

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

/** At the edges of a byte of a number. */
const lengths = [1, 2, 127, 128, 129, 255, 256, 16_383, 16_384];

function* rows(): Generator<unknown> {
  for (const count of [0, 1, 127, 128, 129]) {
    const targets = Array.from({ length: count }, (_, i) => `https://b.test/${i}`);
    const value = edgeValue(count, targets);
    const read = readEdges(edgeKey('a.test', 'https://a.test/'), value);
    yield [value, [...read.targets].sort().join() === targets.sort().join(), read.fetchedAtMs];
  }
  for (const length of lengths) {
    const targets = ['x'.repeat(length), `${'x'.repeat(length)}y`, `${'x'.repeat(length - 1)}z`];
    const value = edgeValue(2 ** 47 + length, targets);
    yield [value, readEdges(edgeKey('h', 'u'), value)];
  }
}

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

function* spoken(draw: Draw): Generator<unknown> {
  for (let round = 0; round < 30; round++) {
    const [main, other] = [draw.of(languages), draw.of(languages)];
    const text = draw.list(draw.of([2, 8, 40, 150]), () => draw.of(draw.percent(80) ? main : other)).join(' ');
    const declared = draw.of(['', 'en', 'de-AT', 'zh-Hant', 'FR', 'ru', 'xx', 'english', 'sr-Latn']);
    yield [languageOf(text, declared), languageOf(text), declaredCode(declared), scriptOf(text.split(' '))];
  }
}

const url = (draw: Draw) => `https://${draw.of(['a.test', 'b.test', 'c.test', 'd.test:8080'])}/${draw.below(12)}`;

function* linked(draw: Draw): Generator<unknown> {
  const builder = createHostGraph(hostKeyOf);
  for (let page = 0; page < 30; page++) {
    const source = url(draw);
    const targets = [...new Set(draw.list(draw.below(9), () => url(draw)))];
    const key = edgeKey(hostKeyOf(source), source);
    const value = edgeValue(1_700_000_000_000 + draw.below(2 ** 40), targets);
    const edges = readEdges(key, value);
    builder.add(edges);
    yield [key, value, edges];
  }
  const graph = builder.finish();
  yield [graph, inDegrees(graph), pageRank(graph), pageRank(graph, { damping: 0.5 })];
}

function* small(draw: Draw): Generator<unknown> {
  const rel = () => draw.of(['hub', '"hub"', 'self', '"self alternate"', 'next', 'HUB']);
  for (let round = 0; round < 30; round++) {
    const header = draw
      .list(draw.below(4), () => `<${draw.of([url(draw), '/rel', 'ftp://x/'])}>; rel=${rel()}`)
      .join(', ');
    const text = draw
      .list(
        draw.below(4),
        () =>
          `<${draw.of(['link', 'atom:link', 'a', 'LINK'])} rel="${draw.of(['hub', 'self', 'x'])}" href='${url(draw)}?a=1&amp;b'/>`,
      )
      .join('<x>');
    yield hubLinks(draw.percent(60) ? [header] : [], text, 'https://a.test/feed');
    const [hi, lo, lease] = [draw.next(), draw.next(), draw.below(99)];
    const queued = queueSpan(hi, lo, lease, draw.percent(50));
    yield [admitSpan(hi, lo), queued, leaseSpan(queued), admissionOf(queued), formatTraceparent(queued)];
    const parent = formatTraceparent(queued);
    const spoilt = draw.of([
      parent,
      `${parent}-x`,
      parent.replace(/^00/, 'ff'),
      parent.replace(/^00/, '01'),
      `${parent.slice(0, -1)}0`,
      parent.replace(/[1-9a-f]/g, '0'),
      parent.slice(1),
    ]);
    yield parseTraceparent(spoilt);
    const feeds = draw.list(2, () =>
      feedSignature(
        draw.list(draw.below(5), () => url(draw)),
        draw.below(1e7),
      ),
    );
    yield [feeds, feeds.map(isFeedSignature), feeds.map(pollSecondsOf), hasNewEntries(feeds[0]!, feeds[1]!)];
  }
  yield [
    'text/html',
    'application/json',
    'application/ld+json',
    'text/plain',
    'application/rss+xml',
    'text/css',
    '',
  ].map(isForMachines);
}

/** Beyond it stands what the text before has left, of whichever test. */
function inUse({ count, highs, lows }: Features): Features {
  return { count, highs: highs.slice(0, count), lows: lows.slice(0, count) };
}

it('similar pages are found as recorded', () => assertKept(kept('alike'), bySeed(16, alike)));
it('large indexes answer as recorded', () => assertKept(kept('many'), bySeed(2, many)));
it('languages and scripts are detected as recorded', () => assertKept(kept('spoken'), bySeed(24, spoken)));
it('links between hosts are counted as recorded', () => assertKept(kept('linked'), bySeed(12, linked)));
it('rows of links of every length are stored as recorded', () => assertKept(kept('rows'), new Map([['all', rows()]])));
it('hubs, spans and feeds are read as recorded', () => assertKept(kept('small'), bySeed(8, small)));
