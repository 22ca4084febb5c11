/** Numbers of lists of tags, and the least front queue that a page’s links have. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankLinkGroup } from '../../../../../schemas/blank.ts';
import { queueOfSource } from '../../../../../topology/frontier/decide/links/source-queue.ts';
import { tagNumber } from '../../../../../topology/frontier/decide/links/tags.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { Deciding, urlAt, visitedPage } from '../deciding.ts';

describe('a list of tags', () => {
  it('a new list of tags gets the next number once', () => {
    const deciding = new Deciding();
    const number = (...given: string[]) => {
      let found: number | undefined;
      const said = deciding.decide(
        (decision) => tagNumber(decision, given),
        (returned) => {
          found = returned;
        },
      );
      return [found, said.changes.length, said.tallies];
    };
    assert.deepEqual(number(), [undefined, 0, {}]);
    assert.deepEqual(number(''), [undefined, 0, {}]);
    assert.deepEqual(number('a'), [1, 1, {}]);
    assert.deepEqual(number('a', 'b'), [2, 1, {}]);
    assert.deepEqual(number('a'), [1, 0, {}]);
    for (let n = 0; !deciding.state.tagSets.isFull; n++)
      deciding.state.apply({ kind: 'tagSet', number: deciding.state.tagSets.nextNumber, tags: [`n${n}`] });
    assert.deepEqual(number('z'), [undefined, 0, { untagged: 1 }]);
    assert.deepEqual(number('a'), [1, 0, {}]);
  });
});

describe('links of a page with a verdict', () => {
  const demote = { frontQueue: 6, waitFactor: 3, links: true as const };
  const queueOf = (config: Partial<PolicyConfig>, sourceUrl: string, frontQueue: number) => {
    const deciding = new Deciding(config);
    deciding.facts({});
    deciding.schedule({ ...visitedPage, frontQueue });
    let found = -1;
    deciding.decide(
      (decision) => queueOfSource(decision, deciding.policy!, { ...blankLinkGroup, sourceUrl }),
      (returned) => {
        found = returned;
      },
    );
    return found;
  };

  it('links of a page with a verdict wait in the policy’s front queue, or a later one', () => {
    const policy = { recrawl: { ...defaultRecrawl, demote } };
    assert.deepEqual(
      [5, 6, 7].map((frontQueue) => queueOf(policy, urlAt(0), frontQueue)),
      [0, 6, 6],
    );
    assert.deepEqual([queueOf(policy, '', 7), queueOf(policy, urlAt(4), 7)], [0, 0]);
    assert.equal(queueOf({ recrawl: { ...defaultRecrawl, demote: { ...demote, links: undefined } } }, urlAt(0), 7), 0);
    assert.equal(queueOf({ recrawl: defaultRecrawl }, urlAt(0), 7), 0);
  });
});
