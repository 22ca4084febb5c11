/** Signatures, languages, feeds and spans, as they were when they were kept. */
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
import { admissionOf, admitSpan, leaseSpan, queueSpan } from '../../../topology/trace/journey.ts';
import { formatTraceparent, parseTraceparent } from '../../../topology/trace/trace-context.ts';
import { assertKept } from '../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../kept/drawn.ts';
import { languages } from './drawn-words.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);

function* signed(draw: Draw): Generator<unknown> {
  const words = draw.of(languages);
  const text = (count: number) =>
    draw.list(count, () => `${draw.of(words)}${draw.percent(30) ? draw.below(50) : ''}`).join(' ');
  const first = text(60);
  for (let page = 0; page < 12; page++) {
    const changed = draw.percent(50) ? first.replace(draw.of(words), `${page}`) : text(draw.of([3, 20, 60, 200]));
    const [one, other] = [simhash(first, 7), simhash(changed, 7)];
    yield [one, other, one !== null && other !== null ? hamming(one, other) : null, simhashOfDistinct(changed, 3)];
    yield [textSignature(changed), sameText(textSignature(changed), textSignature(first))];
    yield [inUse(featuresOf(changed.slice(0, 80), 1)), inUse(distinctFeaturesOf(changed.slice(0, 80), 1))];
  }
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

function* small(draw: Draw): Generator<unknown> {
  for (let round = 0; round < 30; round++) {
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

it('signatures and features of texts are as recorded', () => assertKept(kept('signed'), bySeed(16, signed)));
it('languages and scripts are detected as recorded', () => assertKept(kept('spoken'), bySeed(24, spoken)));
it('spans and feeds are read as recorded', () => assertKept(kept('small'), bySeed(8, small)));
