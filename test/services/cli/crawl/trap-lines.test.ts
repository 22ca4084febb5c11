import assert from 'node:assert/strict';
import { it } from 'node:test';
import { trapLines } from '../../../../services/cli/crawl/trap-lines.ts';
import { heldTraps } from '../../../../services/frontier/own/held-traps.ts';
import { ownName } from '../../../../services/runtime/own-name.ts';

const trap = (hostKey: string, pattern: string, urls: number) => ({
  ...{ hostKey, pattern, urls, reason: 'calendar', detail: '24 pages in a row that led only to the next' },
});

it('the report of a crawl names traps that hold URLs, the largest first, and the command that releases them', () => {
  const lines = trapLines(
    [trap('a.test', '/cal/#', 3), trap('b.test', "/it's/#", 1_200), trap('c.test', '/x/#', 0)],
    '--data d',
  );
  assert.deepEqual(lines, [
    "1,200 URLs of b.test under /it's/# (calendar: 24 pages in a row that led only to the next)",
    '3 URLs of a.test under /cal/# (calendar: 24 pages in a row that led only to the next)',
    `to fetch these URLs: ${ownName()} release b.test '/it'\\''s/#' --data d`,
  ]);
  assert.deepEqual(trapLines([trap('c.test', '/x/#', 0)], '--data d'), []);
});

it('traps beyond the ten largest are summed', () => {
  const many = Array.from({ length: 14 }, (_, n) => trap(`h${n}.test`, '/#', 14 - n));
  assert.equal(trapLines(many, '')[10], '10 URLs in 4 other traps');
});

it('a trap holds its URLs in its front queue', () => {
  const active = new Map([
    [
      'a.test',
      {
        trapped: [{ ...trap('', '/cal/#', 0), frontQueue: 17 }],
        released: [{ ...trap('', '/old/#', 0), frontQueue: 16 }],
      },
    ],
  ]);
  const hosts = new Map([['a.test', { queue: { sizeOf: (frontQueue: number) => (frontQueue === 17 ? 5 : 9) } }]]);
  const held = heldTraps({ traps: { active }, hosts } as never);
  assert.deepEqual(
    held.map(({ hostKey, pattern, urls }) => [hostKey, pattern, urls]),
    [['a.test', '/cal/#', 5]],
  );
});
