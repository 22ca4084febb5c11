/** Errors of brokers as the project's own: which may pass, what each asks of the operator, and how often is tried. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deadlineIn,
  isRefusedLogin,
  isTransient,
  retrying,
  throwFor,
  transient,
} from '../../../../../services/runtime/log/kafka/errors.ts';
import { CrawlstreamError } from '../../../../../topology/errors.ts';

test('an error code of a broker says what failed, whether it may pass, and what to do', () => {
  throwFor(0, 'appending');
  for (const [code, ours, message] of [
    [
      6,
      'BROKER_UNREACHABLE',
      /^appending failed: NOT_LEADER_FOR_PARTITION; retrying, since the broker calls it temporary$/,
    ],
    [19, 'BROKER_UNREACHABLE', /^appending failed: NOT_ENOUGH_REPLICAS; retrying/],
    [89, 'BROKER_UNREACHABLE', /^appending failed: THROTTLING_QUOTA_EXCEEDED; retrying/],
    [
      29,
      'INVALID_ARGUMENT',
      /^appending is not allowed for this user \(TOPIC_AUTHORIZATION_FAILED\): grant the right \(crawlstream acls/,
    ],
    [30, 'INVALID_ARGUMENT', /GROUP_AUTHORIZATION_FAILED/],
    [
      10,
      'STORE_FAILED',
      /^appending failed: MESSAGE_TOO_LARGE: .*; crawlstream topics check .* \(max\.message\.bytes\)$/,
    ],
    [18, 'STORE_FAILED', /RECORD_LIST_TOO_LARGE: .* \(segment\.bytes\)$/],
    [
      87,
      'STORE_FAILED',
      /INVALID_RECORD: .*; a compacted topic refuses records without a key: .* \(cleanup\.policy\)$/,
    ],
    [1, 'STORE_FAILED', /^appending failed: OFFSET_OUT_OF_RANGE: [^;]*$/],
    [9_999, 'STORE_FAILED', /^appending failed: error 9999: $/],
  ] as const)
    assert.throws(() => throwFor(code, 'appending'), { code: ours, message }, `${code}`);
});

test('an error is transient if brokers may come back, and not if they refuse the login', () => {
  assert.equal(isTransient(transient('away')), true);
  assert.equal(isTransient(new CrawlstreamError('STORE_FAILED', 'x')), false);
  assert.equal(isTransient(new Error('away')), false);
  const refused = Object.assign(new Error('no'), { name: 'KafkaJSSASLAuthenticationError' });
  assert.equal(isRefusedLogin(refused), true);
  assert.equal(isRefusedLogin(transient('login', refused)), true);
  assert.equal(isTransient(transient('login', refused)), false);
  for (const other of [undefined, null, new Error('x'), transient('x')]) assert.equal(isRefusedLogin(other), false);
});

test('an act is tried until it succeeds, or fails for good', async () => {
  let tries = 0;
  const done = await retrying(deadlineIn(60_000), async () => {
    tries += 1;
    if (tries < 3) throw transient(`${tries}`);
    return 'done';
  });
  assert.deepEqual([done, tries], ['done', 3]);
  tries = 0;
  const failing = retrying(deadlineIn(60_000), async () => {
    tries += 1;
    throw new CrawlstreamError('STORE_FAILED', 'for good');
  });
  await assert.rejects(failing, { code: 'STORE_FAILED' });
  assert.equal(tries, 1);
});

test('an act is not tried again if the next try would begin behind the deadline', async () => {
  let tries = 0;
  const late = retrying(deadlineIn(0), async () => {
    tries += 1;
    throw transient(`try ${tries}`);
  });
  await assert.rejects(late, { code: 'BROKER_UNREACHABLE', message: 'try 1' });
  assert.equal(tries, 1);
});
