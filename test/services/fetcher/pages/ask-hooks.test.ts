/** What plugins say of a URL before it is requested. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import { HookFailed, type Hooks } from '../../../../services/fetcher/hooks/run-hooks.ts';
import { askHooks } from '../../../../services/fetcher/pages/ask-hooks.ts';

const urls = [
  { ...blankTaskUrl, url: 'https://a.test/0' },
  { ...blankTaskUrl, url: 'https://a.test/1', depth: 3 },
];
const task = { ...blankTask, hostKey: 'a.test', urls };
const headers = ['accept', 'text/html', 'accept-language', 'de'];

function asked(own: Partial<Pick<Hooks, 'refuses' | 'request'>>) {
  const hooks = { refuses: () => null, request: async () => ({ headers: {}, skip: '' }), ...own } as unknown as Hooks;
  return askHooks(hooks, headers, task, 1);
}

describe('a URL of a lease', () => {
  it('a URL of a lease is requested with a plugin’s headers, which replace ours', async () => {
    const request = async () => ({ headers: { 'accept-language': 'fr', cookie: 'x=1' }, skip: '' });
    assert.deepEqual(await asked({ request }), {
      headers: ['accept', 'text/html', 'accept-language', 'fr', 'cookie', 'x=1'],
    });
    assert.deepEqual(await asked({}), { headers });
  });

  it('a URL of a lease is passed to plugins with its depth and host', async () => {
    const reported: unknown[] = [];
    await asked({
      refuses: (link) => {
        reported.push(link);
        return null;
      },
      request: async (one) => {
        reported.push(one);
        return { headers: {}, skip: '' };
      },
    });
    assert.deepEqual(reported, [
      { url: 'https://a.test/1', depth: 3, sourceUrl: '' },
      { url: 'https://a.test/1', depth: 3, hostKey: 'a.test' },
    ]);
  });

  it('a URL of a lease is refused by a filter or a request hook', async () => {
    assert.deepEqual(await asked({ refuses: () => 'mine' }), {
      kind: 'refused',
      detail: 'plugin mine does not want it',
    });
    const request = async () => ({ headers: {}, skip: 'not today' });
    assert.deepEqual(await asked({ request }), { kind: 'refused', detail: 'not today' });
  });

  it('a URL of a lease is not requested if a plugin fails; our own bug is an error', async () => {
    const failing = (error: Error) => asked({ request: () => Promise.reject(error) });
    assert.deepEqual(await failing(new HookFailed('plugin mine: x')), {
      kind: 'parseFailed',
      detail: 'plugin mine: x',
    });
    await assert.rejects(failing(new TypeError('ours')), /ours/);
  });
});
