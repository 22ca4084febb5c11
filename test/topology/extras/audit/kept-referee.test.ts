/** What robots.txt files allow by the audit's referee, whole and damaged, as it was when it was kept. */
import { it } from 'node:test';
import { readForReferee, refereeVerdict } from '../../../../topology/extras/audit/robots-referee.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../../kept/drawn.ts';
import { damagedRobots, pathOf } from '../../robots/drawn-robots.ts';

function* refereed(draw: Draw): Generator<unknown> {
  for (let file = 0; file < 8; file++) {
    const body = damagedRobots(draw);
    const referee = readForReferee(body, draw.of(['crawlstream', 'other']));
    const urls = draw.list(12, () => `https://a.test${pathOf(draw)}`);
    yield [referee, urls.map((url) => [url, refereeVerdict(referee, url)])];
  }
}

it('the referee judges robots.txt files of every form as recorded', () =>
  assertKept(new URL('refereed.json', import.meta.url), bySeed(60, refereed)));
