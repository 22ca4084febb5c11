/** Where on its page a link stands (HTML standard §4.3). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FoundIn } from '../../../schemas/types.ts';
import { element } from '../../../topology/parse/elements.ts';
import { betterPlace, Landmarks } from '../../../topology/parse/landmarks.ts';

/** `main nav /nav`: elements as they begin and end. */
function placeIn(tags: string): FoundIn {
  const landmarks = new Landmarks();
  for (const tag of tags.split(' ').filter((one) => one !== '')) {
    const kind = element[tag.replace('/', '') as 'main' | 'nav' | 'footer' | 'aside'];
    assert.notEqual(kind, undefined, tag);
    landmarks.pass(kind, tag.startsWith('/') ? -1 : 1);
  }
  return landmarks.here;
}

it('a position is determined by the elements that are open around it', () => {
  const places = {
    '': 'unknown',
    main: 'content',
    nav: 'navigation',
    aside: 'navigation',
    footer: 'footer',
    'main nav': 'navigation',
    'main footer': 'content',
    'main aside': 'content',
    'nav footer': 'footer',
    'aside footer': 'footer',
    'nav aside': 'navigation',
    'main /main': 'unknown',
    'nav /nav': 'unknown',
    'aside /aside': 'unknown',
    'footer /footer': 'unknown',
    'main main /main': 'content',
    'nav nav /nav': 'navigation',
    'aside aside /aside': 'navigation',
    'footer footer /footer': 'footer',
    'nav footer /footer': 'navigation',
  };
  for (const [tags, place] of Object.entries(places)) assert.equal(placeIn(tags), place, tags);
});

it('an end tag without a start closes nothing later', () => {
  assert.equal(placeIn('/main main'), 'content');
  assert.equal(placeIn('/nav nav'), 'navigation');
  assert.equal(placeIn('/aside aside'), 'navigation');
  assert.equal(placeIn('/footer footer'), 'footer');
});

it('of two positions, content wins over unknown, unknown over navigation, and a footer comes last', () => {
  const order = ['footer', 'navigation', 'unknown', 'content'] as const;
  for (const [n, lesser] of order.entries())
    for (const better of order.slice(n)) {
      assert.equal(betterPlace(lesser, better), better);
      assert.equal(betterPlace(better, lesser), better);
    }
  assert.equal(betterPlace(undefined, 'footer'), 'footer');
  for (const list of ['sitemap', 'feed'] as const) {
    assert.deepEqual([betterPlace(list, 'navigation'), betterPlace(list, 'content')], [list, 'content']);
    assert.deepEqual(
      [betterPlace(list, 'unknown'), betterPlace('unknown', list)],
      [list, 'unknown'],
      'the first of equals',
    );
  }
});

it('other elements do not determine a position', () => {
  const others = Object.entries(element).filter(([name]) => !['main', 'nav', 'footer', 'aside'].includes(name));
  assert.ok(others.length > 5);
  const landmarks = new Landmarks();
  for (const [name, kind] of others) {
    landmarks.pass(kind, 1);
    assert.equal(landmarks.here, 'unknown', name);
  }
});
