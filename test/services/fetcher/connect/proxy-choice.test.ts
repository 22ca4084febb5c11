import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProxyChoice } from '../../../../services/fetcher/connect/proxy-choice.ts';
import type { ProxyServer } from '../../../../services/fetcher/connect/proxy-tunnel.ts';
import { createFakeClock } from '../fake-clock.ts';

const proxies = ['a', 'b', 'c'].map((label) => ({ label }) as ProxyServer);
const labelsOf = (choice: ReturnType<typeof createProxyChoice>, count: number, host = (_: number) => 'x.test') =>
  Array.from({ length: count }, (_, n) => choice.next(host(n))?.label ?? 'none').join('');

test('proxies rotate by request', () => {
  assert.equal(labelsOf(createProxyChoice(proxies, 'request', createFakeClock()), 7), 'abcabca');
});

test('by host, a host always uses the same proxy, and hosts are spread over proxies', () => {
  const clock = createFakeClock();
  const choice = createProxyChoice(proxies, 'host', clock);
  const hosts = (n: number) => `h${n}.test`;
  const first = labelsOf(choice, 60, hosts);
  assert.equal(labelsOf(createProxyChoice(proxies, 'host', clock), 60, hosts), first);
  for (const { label } of proxies) assert.ok(first.split(label).length > 10, `${label} in ${first}`);
  for (const [n, label] of [...first].entries())
    for (let times = 0; times < 3; times++) assert.equal(choice.next(hosts(n))?.label, label);
});

test('a failed proxy rests for half a minute, the next one takes its requests, and none is left while all rest', async () => {
  const clock = createFakeClock();
  const choice = createProxyChoice(proxies, 'request', clock);
  choice.failed(proxies[1]!, 'b is down');
  assert.equal(labelsOf(choice, 6), 'accacc');
  await clock.advance(29_999);
  assert.equal(labelsOf(choice, 3), 'acc');
  await clock.advance(1);
  assert.equal(labelsOf(choice, 3), 'abc');
  for (const proxy of proxies) choice.failed(proxy, 'down');
  assert.equal(labelsOf(choice, 2), 'nonenone');
});

test('a proxy that never failed is used whatever the clock says', () => {
  assert.equal(createProxyChoice(proxies, 'request', { nowMs: () => 0 }).next('x.test')?.label, 'a');
});

test('a failing proxy is logged once with its replacement, and once when it is back', () => {
  const said: string[] = [];
  const choice = createProxyChoice(proxies.slice(0, 2), 'request', createFakeClock(), (text) => said.push(text));
  for (let n = 0; n < 3; n++) choice.failed(proxies[0]!, 'proxy a: refused');
  choice.failed(proxies[1]!, 'proxy b: refused');
  choice.worked(proxies[0]!, 'a.test');
  choice.worked(proxies[0]!, 'a.test');
  choice.failed(proxies[0]!, 'proxy a: refused');
  assert.equal(said.length, 4, said.join('\n'));
  assert.match(said[0]!, /^proxy a: refused: 1 of 2 proxies are left; retrying every 30 s/);
  assert.match(said[1]!, /^proxy b: refused: no proxy is left, so its hosts are not fetched; /);
  assert.equal(said[2], 'proxy a works again');
});
