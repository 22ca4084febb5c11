import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listsOf, withLists } from '../../../topology/policy/lists-of.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';

const list = (name: string) => ({ name, path: `/${name}`, sha256: name }) as never;
const { filters } = defaultPolicy();
const ofFilters = { filters: { ...filters, lists: [list('a'), list('b')] } } as Pick<PolicyConfig, 'filters' | 'score'>;
const ofBoth = { ...ofFilters, score: { ...defaultScore, lists: [list('c')] } } as Pick<
  PolicyConfig,
  'filters' | 'score'
>;
const names = (config: Pick<PolicyConfig, 'filters' | 'score'>) => listsOf(config).map(({ path }) => path);

it('the lists of a policy are those of its filters, then those of its score', () => {
  assert.deepEqual(names({ filters }), []);
  assert.deepEqual(names({ filters, score: defaultScore }), []);
  assert.deepEqual(names(ofFilters), ['/a', '/b']);
  assert.deepEqual(names(ofBoth), ['/a', '/b', '/c']);
  assert.deepEqual(names({ filters, score: { kind: 'opic' } as never }), []);
});

it('a policy with other paths of its lists is otherwise the same', () => {
  const moved = ['x', 'y', 'z'].map((path) => ({ path, sha256: `${path}!` }));
  assert.deepEqual(names(withLists(ofBoth, moved)), ['x', 'y', 'z']);
  assert.deepEqual(
    listsOf(withLists(ofBoth, moved)).map(({ sha256 }) => sha256),
    ['x!', 'y!', 'z!'],
  );
  assert.deepEqual(withLists({ filters, score: defaultScore }, []), { filters, score: defaultScore });
  assert.deepEqual(withLists(ofFilters, moved).score, undefined);
  const opic = { filters, score: { kind: 'opic' } as never };
  assert.deepEqual(withLists(opic, []), opic);
});
