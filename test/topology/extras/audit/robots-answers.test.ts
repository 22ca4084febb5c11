import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Claim,
  type Copy,
  createRobotsAnswers,
  type RobotsAnswer,
} from '../../../../topology/extras/audit/robots-answers.ts';
import { readForReferee } from '../../../../topology/extras/audit/robots-referee.ts';

const dayMs = 86_400_000;
const readMs = 1_000_000;
const copy: Copy = { rules: readForReferee(Buffer.from('User-agent: *\nDisallow: /private'), 'crawlstream') };
const none: Copy = { rules: null };

interface Asked extends Partial<Claim['request']> {
  readonly copy?: Copy | undefined;
}

/** A request by the robots.txt read at `readMs`, after these answers. */
function judged(asked: Asked, ...answers: Partial<RobotsAnswer>[]) {
  const book = createRobotsAnswers();
  for (const answer of answers) book.note({ endMs: readMs, status: 200, fetcherId: 'f', ...answer });
  const { copy: held = copy, ...more } = asked;
  const request = {
    url: 'http://a.test/x',
    hop: 0,
    startMs: readMs + 10,
    robotsHash: 'aa',
    robotsAtMs: readMs,
    ...more,
  };
  return book.judge({ request, fetcherId: 'f', copy: 'copy' in asked ? asked.copy : held });
}

const kindOf = (...args: Parameters<typeof judged>) => judged(...args)?.kind ?? null;

describe('the robots.txt behind a request', () => {
  it('the robots.txt behind a request allows what no rule forbids, and everything if it does not exist', () => {
    assert.equal(kindOf({}), null);
    assert.equal(kindOf({ copy: none, robotsHash: '', url: 'http://a.test/private' }), null);
  });

  it('the robots.txt behind a request forbids what it says, of a page and of a redirect target', () => {
    assert.deepEqual(judged({ url: 'http://a.test/private/1' }), {
      kind: 'disallowed',
      source: 'robots.txt: Disallow: /private',
    });
    assert.equal(kindOf({ url: 'http://a.test/private', hop: 1 }), 'redirectDisallowed');
  });

  it('the robots.txt behind a request was read before it, and is on the topic unchanged', () => {
    assert.equal(kindOf({ robotsAtMs: 0 }), 'robotsUnread');
    assert.equal(kindOf({ startMs: readMs }), null);
    assert.equal(kindOf({ startMs: readMs - 1 }), 'robotsUnread');
    assert.equal(kindOf({ copy: undefined }), 'robotsUnread');
    assert.deepEqual(judged({ copy: { rules: 'damaged' } }), {
      kind: 'robotsCopy',
      source: 'the stored robots.txt does not match the hash aa',
    });
  });

  it('the robots.txt behind a request forbids everything if the host did not answer, throttled or failed (RFC 9309 §2.3.1.4)', () => {
    for (const status of [0, 100, 199, 429, 500, 503, 599])
      assert.equal(kindOf({}, { status }), 'robotsUnreachable', `${status}`);
    for (const status of [200, 204, 299]) assert.equal(kindOf({}, { status }), null, `${status}`);
    for (const status of [300, 301, 400, 404, 428, 430, 499])
      assert.equal(kindOf({ robotsHash: '', copy: none }, { status }), null, `${status}`);
    assert.match(judged({}, { status: 0 })!.source, /gave no answer/);
    assert.match(judged({}, { status: 503 })!.source, /answered 503/);
  });

  it('the robots.txt behind a request is not missing if the host had one', () => {
    for (const [status, kind] of [
      [200, 'robotsUnread'],
      [299, 'robotsUnread'],
      [300, null],
      [404, null],
    ] as const)
      assert.equal(kindOf({ robotsHash: '', copy: none }, { status }), kind, `${status}`);
  });

  it('the robots.txt behind a request matches the newest answer to the same fetcher within five seconds before', () => {
    const failed = (more: Partial<RobotsAnswer>) => kindOf({}, { status: 503, ...more });
    assert.equal(failed({ endMs: readMs }), 'robotsUnreachable');
    assert.equal(failed({ endMs: readMs - 4_999 }), 'robotsUnreachable');
    assert.equal(failed({ endMs: readMs - 5_000 }), null);
    assert.equal(failed({ endMs: readMs + 1 }), null);
    assert.equal(failed({ fetcherId: 'g' }), null);
    assert.equal(kindOf({}, { status: 503, endMs: readMs - 2 }, { status: 200, endMs: readMs - 1 }), null);
    assert.equal(kindOf({}, { status: 200, endMs: readMs - 1 }, { status: 503, endMs: readMs - 2 }), null);
  });

  it('the robots.txt behind a request is compared with the last eight answers', () => {
    const others = (count: number) => Array.from({ length: count }, (_, n) => ({ endMs: readMs + 1 + n }));
    assert.equal(kindOf({}, { status: 503 }, ...others(7)), 'robotsUnreachable');
    assert.equal(kindOf({}, { status: 503 }, ...others(8)), null);
  });
});

describe('the age of a robots.txt', () => {
  const at = (ageMs: number, ...answers: Partial<RobotsAnswer>[]) => judged({ startMs: readMs + ageMs }, ...answers);

  it('the age of a robots.txt is at most a day (RFC 9309 §2.4)', () => {
    assert.equal(at(dayMs), null);
    const old = at(dayMs + 1);
    assert.deepEqual([old?.kind, old?.measuredMs, old?.boundMs], ['robotsStale', dayMs + 1, dayMs]);
  });

  it('the age of a robots.txt is at most thirty days while the host, asked within a day, is unreachable or redirects', () => {
    for (const status of [0, 199, 429, 500, 301, 308, 399]) {
      assert.equal(at(2 * dayMs, { status, endMs: readMs + 2 * dayMs }), null, `${status}`);
      assert.equal(at(30 * dayMs, { status, endMs: readMs + 30 * dayMs }), null, `${status}`);
      const old = at(30 * dayMs + 1, { status, endMs: readMs + 30 * dayMs });
      assert.deepEqual(
        [old?.kind, old?.boundMs, old?.source],
        ['robotsStale', 30 * dayMs, 'RFC 9309 §2.3.1.4'],
        `${status}`,
      );
    }
    for (const status of [200, 299, 400, 404]) {
      assert.equal(at(2 * dayMs, { status, endMs: readMs + 2 * dayMs })?.boundMs, dayMs, `${status}`);
    }
  });

  it('the age of a robots.txt is not excused by an answer from before the copy, after the request, or a day ago', () => {
    const asked = (endMs: number) => at(2 * dayMs, { status: 0, endMs, fetcherId: 'g' })?.kind ?? null;
    assert.equal(asked(readMs + 1), 'robotsStale');
    assert.equal(asked(readMs + dayMs), 'robotsStale');
    assert.equal(asked(readMs + dayMs + 1), null);
    assert.equal(asked(readMs + 2 * dayMs), null);
    assert.equal(asked(readMs + 2 * dayMs + 1), 'robotsStale');
    const justOld = (endMs: number) => at(dayMs + 1, { status: 0, endMs, fetcherId: 'g' })?.kind ?? null;
    assert.equal(justOld(readMs), 'robotsStale');
    assert.equal(justOld(readMs + 2), null);
  });
});
