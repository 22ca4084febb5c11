import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError, type ErrorCode } from '../../topology/errors.ts';

/** What somebody or something else brings back: a broker, a registry, an owner, a crawl that is yet to be made. */
const passing = [
  'FORGET_FAILED',
  'CRAWL_MISSING',
  'OWNERSHIP_LOST',
  'NOT_READY',
  'BUSY',
  'PROCESS_ENDED',
  'STEP_FAILED',
  'SCHEMA_UNKNOWN',
  'SCHEMA_CONFLICT',
  'BROKER_UNREACHABLE',
  'REGISTRY_UNREACHABLE',
  'DESTINATION_UNREACHABLE',
  'HUB_UNREACHABLE',
] as const satisfies readonly ErrorCode[];
const lasting = [
  'INVALID_ARGUMENT',
  'INVALID_SEED',
  'INVALID_RECORD',
  'RECORD_TOO_LARGE',
  'DATA_FOLDER_LOCKED',
  'DATA_FOLDER_FOREIGN',
  'DATA_FOLDER_NEWER',
  'STORE_FAILED',
  'STORE_CLOSED',
  'STORE_UNSUPPORTED',
  'STORE_MISMATCH',
  'DISK_FULL',
  'TOPIC_MISMATCH',
  'NO_MATCH',
  'GROUP_ACTIVE',
  'NOT_RUNNING',
  'OFFSET_OUT_OF_RANGE',
  'LOG_TRUNCATED',
  'CHANGELOG_GAP',
  'LOAD_UNFINISHED',
  'DECISION_TOO_SLOW',
  'STATE_DIVERGED',
  'SNAPSHOT_DAMAGED',
  'SCHEMA_INCOMPATIBLE',
  'DESTINATION_REFUSED',
  'UNSUPPORTED',
] as const satisfies readonly ErrorCode[];

test('only errors that time alone can end are retriable', () => {
  for (const code of passing) assert.equal(new CrawlstreamError(code, 'x').retriable, true, code);
  for (const code of lasting) assert.equal(new CrawlstreamError(code, 'x').retriable, false, code);
  // Each code is in one of the lists: a new one fails to compile here.
  const unlisted: Exclude<ErrorCode, (typeof passing)[number] | (typeof lasting)[number]>[] = [];
  const none: never[] = unlisted;
  assert.deepEqual(none, []);
});

test('an error has its code, its message, and its cause if there is one', () => {
  const cause = new Error('why');
  const error = new CrawlstreamError('DISK_FULL', 'the disk is full', cause);
  assert.deepEqual(
    [error.name, error.code, error.message, error.cause],
    ['CrawlstreamError', 'DISK_FULL', 'the disk is full', cause],
  );
  assert.equal('cause' in new CrawlstreamError('DISK_FULL', 'x'), false);
});
