/** New URLs that a page has led to, gathered into one change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankLinkGroup } from '../../../../../schemas/blank.ts';
import type { LinkGroup } from '../../../../../schemas/types.ts';
import { Gains } from '../../../../../topology/frontier/decide/links/gains.ts';
import { noHistory } from '../../../../../topology/policy/recrawl/history.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { Deciding, ofKind, urlAt, visitedPage } from '../deciding.ts';

const recrawl = { ...defaultRecrawl, hubs: { newUrls: 5 } };
const other = { ...visitedPage, record: { ...visitedPage.record, url: urlAt(1) } };

/** Notes links of pages, by how many front queues, and what is written down. */
function gained(notes: readonly (readonly [group: Partial<LinkGroup>, frontQueue: number])[], revisits = 0) {
  const deciding = new Deciding({ recrawl });
  deciding.facts({});
  // Pages that were found to change are visited again by their rate.
  const history = { ...noHistory, changes: 1, changedS: 60, changedSquares: 3_600, recent: 3 };
  for (const page of [visitedPage, other]) deciding.schedule({ ...page, history });
  if (revisits > 0) deciding.revisit(revisits);
  const said = deciding.decide((decision) => {
    const gains = new Gains(decision);
    for (const [group, frontQueue] of notes) gains.note({ ...blankLinkGroup, ...group }, frontQueue);
    gains.flush();
    gains.flush();
  });
  return ofKind(said, 'gain').map(({ hi, lo, urls }) => {
    const known = [0, 1].map((n) => [...deciding.state.fingerprintOf(urlAt(n))]);
    return [known.findIndex((one) => one[0] === hi && one[1] === lo), urls];
  });
}
const of = (n: number, more: Partial<LinkGroup> = {}) => ({ sourceUrl: urlAt(n), ...more });

describe('new URLs of a page', () => {
  it('new URLs of a page are counted together while its links follow each other', () => {
    assert.deepEqual(
      gained([
        [of(0), 0],
        [of(0), 7],
        [of(1), 3],
        [of(0), 3],
      ]),
      [
        [0, 2],
        [1, 1],
        [0, 1],
      ],
    );
    assert.deepEqual(
      gained(
        [
          [of(0), 3],
          [of(1), 3],
        ],
        2,
      ),
      [
        [0, 1],
        [1, 1],
      ],
      'also of pages that are on lease',
    );
    assert.deepEqual(gained([]), []);
  });

  it('new URLs of a page exclude those in a trap or beyond a budget, and those of a redirect, of nobody, or of an unscheduled page', () => {
    for (const note of [
      [of(0), 8],
      [of(0, { hop: 1 }), 3],
      [{}, 3],
      [of(5), 3],
    ] as const)
      assert.deepEqual(gained([note]), []);
    const none = new Deciding({ recrawl });
    const said = none.decide((decision) => {
      const gains = new Gains(decision);
      gains.note({ ...blankLinkGroup, ...of(0) }, 3);
      gains.flush();
    });
    assert.deepEqual(said.changes, []);
  });

  it('new URLs of a page exclude those of its first visit', () => {
    const deciding = new Deciding({ recrawl });
    deciding.facts({});
    deciding.schedule(visitedPage);
    const said = deciding.decide((decision) => {
      const gains = new Gains(decision);
      gains.note({ ...blankLinkGroup, ...of(0) }, 3);
      gains.flush();
    });
    assert.deepEqual(said.changes, []);
  });
});
