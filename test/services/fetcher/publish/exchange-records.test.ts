import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { blankResponse } from '../../../../schemas/blank.ts';
import type { Response } from '../../../../schemas/types.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import type { BodyArchive } from '../../../../services/fetcher/http/kept-body.ts';
import type { PacedRequest } from '../../../../services/fetcher/pace/paced-request.ts';
import { bodyArchive, createExchangeRecords } from '../../../../services/fetcher/publish/exchange-records.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const request = { url: 'http://a.test/', headers: [], hostKey: 'a.test' } as unknown as PacedRequest;
const answer = (more: object = {}) =>
  ({
    ...{ status: 200, failure: null, startMs: 1, endMs: 2, address: '', headers: [], truncated: false, ...more },
    ...{ rawBody: Buffer.from('12345'), body: Buffer.alloc(0), staleConnection: false },
  }) as unknown as HttpResponse;

function open(more: Partial<BodyArchive> = {}) {
  const [published, removed]: [Response[], string[]] = [[], []];
  const files = { remove: (name: string) => removed.push(name) } as unknown as NonNullable<BodyArchive['files']>;
  const archive = { what: 'pages', bodyBytesMax: 100, messageBytesMax: 3, files, ...more } as BodyArchive;
  return { records: createExchangeRecords(archive, (one) => published.push(one)), published, removed };
}

test('an exchange record has its host, kind, depth and policy version', () => {
  const { records, published } = open();
  records.take(request, answer());
  records.setPolicy(7, '{"a":1}');
  records.take({ ...request, kind: 'page', depth: 4 } as PacedRequest, answer(), 99);
  records.add({ ...blankResponse, url: 'http://b.test/', policyVersion: 1, policyHash: 'old' });
  const policyHash = createHash('sha256').update('{"a":1}').digest('hex').slice(0, 32);
  assert.deepEqual(
    published.map(({ hostKey, kind, depth, noArchiveFromMs, policyVersion, policyHash, body, truncated }) => [
      ...[hostKey, kind, depth, noArchiveFromMs, policyVersion, policyHash],
      ...[`${Buffer.from(body)}`, truncated],
    ]),
    [
      ['a.test', 'other', -1, -1, 0, '', '123', true],
      ['a.test', 'page', 4, 99, 7, policyHash, '123', true],
      [
        ...[blankResponse.hostKey, blankResponse.kind, blankResponse.depth, blankResponse.noArchiveFromMs],
        ...[7, policyHash, '', false],
      ],
    ],
  );
});

test('the file of a body goes with its record, and is removed if the record is not published', () => {
  const failed = { status: 0, failure: { kind: 'connectionFailed', detail: 'reset' } };
  const kept = (name: string) => ({ kept: { bytes: Buffer.alloc(0), file: { name }, truncatedBy: '' } });
  const { records, published, removed } = open();
  records.take(request, answer({ ...failed, ...kept('untold') }));
  records.leave(answer(kept('left')));
  records.leave(answer({ kept: { bytes: Buffer.alloc(0), file: null, truncatedBy: '' } }));
  records.leave(answer());
  assert.deepEqual([published.length, removed], [0, ['untold', 'left']]);
  const all = open({ what: 'all' });
  all.records.take(request, answer({ ...failed, ...kept('told') }));
  assert.deepEqual([all.published.map(({ failure }) => failure), all.removed], [['connectionFailed'], []]);
});

test('bodies go into files if a folder is configured', () => {
  const config = { what: 'all', bodyBytesMax: 5, messageBytesMax: 3 } as const;
  assert.deepEqual(bodyArchive(config), config);
  const { files, ...rest } = bodyArchive({ ...config, folder: temporaryFolder() });
  assert.deepEqual([rest, files !== undefined], [config, true]);
});
