/** Which bodies are worth reading: by status and media type, with and without a reader of PDF or a plugin. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hooks } from '../../../../services/fetcher/hooks/run-hooks.ts';
import type { PageReader } from '../../../../services/fetcher/pages/page-reader.ts';
import { wantsBody, wantsOf } from '../../../../services/fetcher/pages/wanted-bodies.ts';

const typed = (type: string) => ['content-type', type];
const statuses = [199, 200, 299, 300, 404];
const reader = (more: Partial<PageReader>) => more as PageReader;
const pdf = { name: 'pdf', mediaTypes: ['application/pdf'], module: '' } as const;
const hooks = { parses: (type: string) => type === 'application/epub+zip' } as unknown as Hooks;

describe('a body is read', () => {
  it('a body is read after every success, and otherwise never', () => {
    const all = [
      [wantsBody, 'text/html'],
      [wantsOf(reader({ documents: [] })), 'text/html'],
      [wantsOf(reader({ documents: [pdf] })), 'application/pdf'],
      [wantsOf(reader({ documents: [], hooks })), 'application/epub+zip'],
    ] as const;
    for (const [wants, type] of all)
      assert.deepEqual(
        statuses.map((status) => wants(status, typed(type))),
        [false, true, true, false, false],
        type,
      );
  });

  it('a body is read if a response asks for money in machine-readable form', () => {
    for (const one of [wantsOf(reader({ documents: [] })), wantsOf(reader({ documents: [], hooks }))]) {
      assert.equal(one(402, typed('application/json')), true);
      assert.equal(one(402, typed('text/html')), false);
      assert.equal(one(402, typed('image/png')), false);
      assert.equal(one(403, typed('application/json')), false);
    }
  });

  it('a body is read if its type can hold text; a PDF if PDFs are wanted; and the types of plugins', () => {
    const types = ['text/html', 'application/xml', '', 'image/png', 'application/pdf', 'application/epub+zip'];
    const wanted = (wants: ReturnType<typeof wantsOf>) => types.map((type) => wants(200, typed(type)));
    assert.deepEqual(wanted(wantsBody), [true, true, true, false, false, false]);
    assert.deepEqual(wanted(wantsOf(reader({ documents: [] }))), [true, true, true, false, false, false]);
    assert.deepEqual(wanted(wantsOf(reader({ documents: [pdf] }))), [true, true, true, false, true, false]);
    assert.deepEqual(wanted(wantsOf(reader({ documents: [], hooks }))), [true, true, true, false, false, true]);
    assert.deepEqual(wanted(wantsOf(reader({ documents: [pdf], hooks }))), [true, true, true, false, true, true]);
  });
});
