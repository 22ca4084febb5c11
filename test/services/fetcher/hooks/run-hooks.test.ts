/** What plugins' hooks may give, and what of it is their fault. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankPage } from '../../../../schemas/blank.ts';
import type { NamedHooks } from '../../../../services/fetcher/hooks/fetch-hooks.ts';
import { createHooks, HookFailed, patientHooks } from '../../../../services/fetcher/hooks/run-hooks.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';

const one = (hooks: object) => createHooks([{ name: 'own', ...hooks } as NamedHooks]);
const asked = { url: 'https://a.test/', depth: 0, hostKey: 'a.test' };
const found = { url: 'https://a.test/', depth: 0, sourceUrl: '' };
const answer = {
  status: 200,
  headers: ['a', '1', 'b', '2', 'a', '3'],
  body: Buffer.from('x'),
} as unknown as HttpResponse;
const page = { ...blankPage, url: 'https://a.test/', hostKey: 'a.test', title: 't' };

/** What it gives, or what it is blamed for. */
async function given(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    assert.ok(error instanceof HookFailed, `${error}`);
    return error.message;
  }
}

const table = async (
  hook: string,
  cases: readonly (readonly [said: unknown, result: unknown])[],
  run: (hooks: ReturnType<typeof one>) => unknown,
) => {
  for (const [said, result] of cases)
    assert.deepEqual(await given(() => run(one({ [hook]: () => said }))), result, JSON.stringify(said));
};

describe('a plugin hook', () => {
  it('a priority hook returns a front queue, or nothing', async () => {
    const fault = (said: unknown) =>
      `plugin own, priority: returned ${String(said)}; it must return a front queue from 0 to 7, or nothing`;
    await table(
      'priority',
      [
        ...[undefined, null].map((said) => [said, -1] as const),
        ...[0, 7].map((said) => [said, said] as const),
        ...[8, -2, 1.5, '0', Number.NaN].map((said) => [said, fault(said)] as const),
      ],
      (hooks) => hooks.priority(found),
    );
    const second = { name: 'b', priority: () => 5 };
    assert.equal(createHooks([{ name: 'a', priority: () => null }, second]).priority(found), 5);
    assert.equal(createHooks([{ name: 'a', priority: () => 3 }, second]).priority(found), 3);
    assert.equal(patientHooks(one({ priority: () => 9 })).priority(found), -1);
  });

  it('a request hook returns valid headers, or a reason to skip the request', async () => {
    const headers = (name: string, value: unknown = 'v') => ({ headers: { [name]: value } });
    const fault = (what: string) => `plugin own, request: ${what}`;
    await table(
      'request',
      [
        [undefined, { headers: {}, skip: '' }],
        [{}, { headers: {}, skip: '' }],
        [{ skip: '' }, { headers: {}, skip: '' }],
        [{ skip: 'not now' }, { headers: {}, skip: 'plugin own: not now' }],
        [headers('X-Mine'), { headers: { 'x-mine': 'v' }, skip: '' }],
        [headers("!#$%&'*+.^_`|~09azAZ-"), { headers: { "!#$%&'*+.^_`|~09azaz-": 'v' }, skip: '' }],
        ...['', 'a b', 'a:', 'a\n', 'ä'].map(
          (name) => [headers(name), fault(`${JSON.stringify(name)} is not a header name`)] as const,
        ),
        ...[1, null, 'a\nb', 'a\rb', 'a\0b'].map(
          (value) => [headers('x', value), fault('header x must have a string value without line breaks')] as const,
        ),
        ...['Host', 'connection', 'Content-Length', 'transfer-encoding'].map(
          (name) => [headers(name), fault(`header ${name} is set by the crawler and cannot be changed`)] as const,
        ),
        [headers('x-host'), { headers: { 'x-host': 'v' }, skip: '' }],
        [headers('hosts'), { headers: { hosts: 'v' }, skip: '' }],
      ],
      (hooks) => hooks.request(asked),
    );
  });

  it('a link hook returns false to refuse a link, null to keep it, or another URL', async () => {
    await table(
      'urlFilter',
      [
        [false, 'own'],
        [true, null],
        [undefined, null],
        [0, null],
      ],
      (hooks) => hooks.refuses(found),
    );
    await table(
      'normalize',
      [
        ['https://b.test/', 'https://b.test/'],
        [null, null],
        [undefined, 'plugin own, normalize: returned undefined; it must return a URL or null'],
        [7, 'plugin own, normalize: returned number; it must return a URL or null'],
      ],
      (hooks) => hooks.normalize('https://a.test/'),
    );
  });

  it('a parse hook returns text and links; invalid values are ignored', async () => {
    const fault = (what: string) => `plugin own, parse: ${what}`;
    const cases: readonly (readonly [unknown, unknown])[] = [
      [{}, {}],
      [
        { title: 't', links: ['/a'], fields: { x: ['1'] } },
        { title: 't', links: ['/a'], fields: { x: ['1'] } },
      ],
      [null, fault('returned nothing; it must return { text, links, … }')],
      ['text', fault('returned nothing; it must return { text, links, … }')],
      ...(['title', 'text', 'description'] as const).map(
        (key) => [{ [key]: 1 }, fault(`${key} is not a string`)] as const,
      ),
      [{ links: 'a' }, fault('links is not a list of strings')],
      [{ links: ['a', 1] }, fault('links is not a list of strings')],
      [{ fields: { x: 'a' } }, fault('fields.x is not a list of strings')],
    ];
    for (const [said, result] of cases) {
      const hooks = one({ parse: { 'a/b': () => said } });
      assert.deepEqual([hooks.parses('a/b'), hooks.parses('a/c'), hooks.parses('toString')], [true, false, false]);
      assert.deepEqual(await given(() => hooks.parse('https://a.test/', 'a/b', Buffer.alloc(0))), result);
    }
  });

  it('a response hook replaces only the fields that it returns', async () => {
    const fault = (what: string) => `plugin own, response: ${what}`;
    const after = async (said: unknown) => {
      const read = await given(() => one({ response: () => said }).response('https://a.test/', answer));
      return typeof read === 'string'
        ? read
        : [(read as HttpResponse).status, (read as HttpResponse).headers, `${(read as HttpResponse).body}`];
    };
    assert.deepEqual(await after(undefined), [200, answer.headers, 'x']);
    assert.deepEqual(await after({ headers: { A: 'n', c: 4 } }), [200, ['b', '2', 'a', 'n', 'c', '4'], 'x']);
    assert.deepEqual(await after({ body: Buffer.from('.yy.').subarray(1, 3) }), [200, answer.headers, 'yy']);
    for (const status of [100, 404, 599]) assert.deepEqual(await after({ status }), [status, answer.headers, 'x']);
    for (const status of [99, 600, 1.5])
      assert.equal(await after({ status }), fault(`status ${status} is not a whole number from 100 to 599`));
    assert.equal(await after({ body: 'text' }), fault('body is not a Uint8Array'));
    const seen: unknown[] = [];
    await one({ response: (given: unknown) => void seen.push(given) }).response('u', answer);
    assert.deepEqual(JSON.parse(JSON.stringify(seen)), [
      { url: 'u', status: 200, headers: { a: '1, 3', b: '2' }, body: { type: 'Buffer', data: [120] } },
    ]);
  });

  it('a page hook changes or drops a page, but cannot change the fields that identify it', async () => {
    await table(
      'page',
      [
        [undefined, { page, droppedBy: '' }],
        [null, { page: null, droppedBy: 'own' }],
        [
          { title: 'other', url: 'https://b.test/', hostKey: 'b.test' },
          { page: { ...page, title: 'other' }, droppedBy: '' },
        ],
      ],
      (hooks) => hooks.page(page, answer),
    );
  });

  it('hooks run in the order of the plugins, and their calls and errors are counted', async () => {
    const failing = () => {
      throw new Error('no');
    };
    const first = {
      name: 'first',
      normalize: (url: string) => `${url}1`,
      request: () => ({ headers: { a: '1', b: '1' } }),
      urlFilter: () => true,
    };
    const second = {
      name: 'second',
      normalize: (url: string) => `${url}2`,
      request: () => ({ headers: { b: '2' } }),
      urlFilter: failing,
    };
    const hooks = createHooks([first, second] as NamedHooks[]);
    assert.equal(hooks.normalize('u'), 'u12');
    assert.deepEqual(await hooks.request(asked), { headers: { a: '1', b: '2' }, skip: '' });
    assert.throws(() => hooks.refuses(found), { message: 'plugin second, urlFilter: no' });
    assert.deepEqual(
      hooks.uses.map(({ plugin, hook, calls, faults }) => [plugin, hook, calls, faults]),
      ['urlFilter', 'normalize', 'request'].flatMap((hook) => [
        ['first', hook, 1, 0],
        ['second', hook, 1, +(hook === 'urlFilter')],
      ]),
    );
    assert.ok(hooks.uses.every(({ seconds }) => seconds >= 0 && seconds < 60));
    const patient = patientHooks(hooks);
    assert.deepEqual([patient.refuses(found), patient.normalize('u')], [null, 'u12']);
    assert.equal(patientHooks(one({ normalize: failing })).normalize('u'), 'u');
    assert.equal(patientHooks(one({ urlFilter: () => false })).refuses(found), 'own');
  });
});
