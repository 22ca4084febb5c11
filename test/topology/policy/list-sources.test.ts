import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ListSources } from '../../../topology/policy/list-sources.ts';
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
const from = (repository: ListSources, name: string) =>
  ['old', 'new'].find((who) => repository.source(list(name)).match(`http://${who}.test/`) !== null);

it('a list comes from the newest source that has it', () => {
  const repository = new ListSources();
  repository.put(sourceOf('old', 'a', 'b'));
  repository.put(sourceOf('new', 'a'));
  assert.equal(from(repository, 'a'), 'new');
  assert.equal(from(repository, 'b'), 'old');
});

it('if no source has a list, the newest one reports that', () => {
  const repository = new ListSources();
  assert.throws(() => repository.source(list('x')));
  repository.put(sourceOf('old', 'a'));
  repository.put(sourceOf('new', 'a'));
  assert.throws(() => repository.source(list('x')), /new has no x/);
});

it('only the newest source stays when no policy is under way', () => {
  const repository = new ListSources();
  repository.keepNewest();
  repository.put(sourceOf('old', 'b'));
  repository.keepNewest();
  assert.equal(from(repository, 'b'), 'old');
  repository.put(sourceOf('new', 'a'));
  repository.keepNewest();
  assert.equal(from(repository, 'a'), 'new');
  assert.throws(() => repository.source(list('b')), /new has no b/);
});
