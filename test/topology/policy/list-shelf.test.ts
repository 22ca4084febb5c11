import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ListShelf } from '../../../topology/policy/list-shelf.ts';
import { compileList, type ListName, type ListSource } from '../../../topology/url/url-lists.ts';

const list = (name: string): ListName => ({ name, kind: 'hosts' }) as ListName;
/** A source that has some lists, each told by its only host. */
const sourceOf = (who: string, ...names: string[]): ListSource => {
  const source = ({ name }: ListName) => {
    if (!names.includes(name)) throw new Error(`${who} has no ${name}`);
    return compileList('hosts', `${who}.test`, name);
  };
  return source as ListSource;
};
const from = (shelf: ListShelf, name: string) =>
  ['old', 'new'].find((who) => shelf.source(list(name)).match(`http://${who}.test/`) !== null);

it('a list comes from the newest source that has it', () => {
  const shelf = new ListShelf();
  shelf.put(sourceOf('old', 'a', 'b'));
  shelf.put(sourceOf('new', 'a'));
  assert.equal(from(shelf, 'a'), 'new');
  assert.equal(from(shelf, 'b'), 'old');
});

it('where none has it, the newest says so', () => {
  const shelf = new ListShelf();
  assert.throws(() => shelf.source(list('x')));
  shelf.put(sourceOf('old', 'a'));
  shelf.put(sourceOf('new', 'a'));
  assert.throws(() => shelf.source(list('x')), /new has no x/);
});

it('only the newest source stays when no policy is on its way', () => {
  const shelf = new ListShelf();
  shelf.keepNewest();
  shelf.put(sourceOf('old', 'b'));
  shelf.keepNewest();
  assert.equal(from(shelf, 'b'), 'old');
  shelf.put(sourceOf('new', 'a'));
  shelf.keepNewest();
  assert.equal(from(shelf, 'a'), 'new');
  assert.throws(() => shelf.source(list('b')), /new has no b/);
});
