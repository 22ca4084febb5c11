/** Which elements stand apart from a page's main text, by their names and attributes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apartOf } from '../../../../topology/parse/rich/apart.ts';

const apart = (name: string, attributes: Readonly<Record<string, string>> = {}, inMain = false) =>
  apartOf(name, new Map(Object.entries(attributes)), inMain);

test('elements stand apart by their names, with any attributes', () => {
  const names = 'nav aside footer form button select textarea noscript template dialog menu object audio video canvas';
  for (const name of names.split(' '))
    for (const inMain of [false, true]) assert.equal(apart(name, { class: 'x' }, inMain), 'element', name);
  assert.deepEqual([apart('div'), apart('div', { lang: 'en' })], ['', '']);
});

test('a header stands apart on the page, and not in its main part', () => {
  assert.deepEqual([apart('header'), apart('header', { hidden: '' }, true)], ['element', '']);
});

test('elements stand apart if they are hidden, or have such a role', () => {
  assert.equal(apart('div', { hidden: '' }), 'element');
  assert.equal(apart('body', { 'aria-hidden': 'true' }), 'element');
  assert.equal(apart('div', { 'aria-hidden': 'false' }), '');
  const roles = 'navigation banner contentinfo complementary search dialog alertdialog menu menubar Search';
  for (const role of roles.split(' ')) assert.equal(apart('p', { role }), 'element', role);
  for (const role of ['main', 'menuitem', 'x search', '']) assert.equal(apart('div', { role }), '', role);
});

test('elements stand apart by style, class or id, except paragraphs and the page', () => {
  const said: readonly [Readonly<Record<string, string>>, string][] = [
    [{ style: 'color: red; Display : none' }, 'named'],
    [{ style: 'visibility:hidden' }, 'named'],
    [{ style: 'display: block' }, ''],
    [{ class: 'site-nav' }, 'named'],
    [{ class: 'x', id: 'related_posts' }, 'named'],
    [{ id: 'Ads' }, 'named'],
    [{ class: 'wide sidebar' }, 'named'],
    [{ class: 'sidebar' }, 'inset'],
    [{ class: 'x', id: 'sidebar' }, 'named'],
    [{ class: 'comments-list' }, 'comments'],
    [{ id: 'disqus' }, 'comments'],
    [{ class: 'comments ads' }, 'named'],
    [{ class: 'navigator adsense commentary' }, ''],
    [{ class: '', id: '' }, ''],
  ];
  for (const [attributes, expected] of said) {
    assert.equal(apart('div', attributes), expected, JSON.stringify(attributes));
    for (const name of ['body', 'html', 'p']) assert.equal(apart(name, attributes), '', name);
  }
});
