/** `doctor` on machines with a fault planted: each is named, with the command that mends it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { checkNode } from '../../../../services/planning/doctor/machine-checks.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly text: string;
  readonly remedy?: string;
}

async function listening(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('doctor names each fault of a machine with the command that mends it, and its bundle holds no secret', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  const future = join(data, 'manifest.json');
  writeFileSync(future, '{"format": 99}');
  utimesSync(future, new Date(), new Date(Date.now() + 3_600_000));
  const port = await listening();
  const bundle = join(folder, 'doctor.json');
  const ended = await runCommand(
    [
      ...['doctor', '--data', data, '--port', `127.0.0.1:${port}`, '--host', 'localhost', '--json', '--bundle', bundle],
      ...['--brokers', '127.0.0.1:1'],
    ],
    {
      shellPrefix: 'ulimit -n 1000;',
      env: {
        ...process.env,
        HTTPS_PROXY: 'http://proxy.test:3128',
        CRAWLSTREAM_KAFKA_PASSWORD: 'hunter2',
        CRAWLSTREAM_REGISTRY: 'http://me:swordfish@127.0.0.1:2/',
        CRAWLSTREAM_OPENSEARCH: 'http://me:tea@pot@127.0.0.1:3/',
        PATH: '/usr/bin:/bin',
      },
    },
  );
  const findings = lastJson(ended)['findings'] as readonly Finding[];
  const of = (check: string) => findings.find((one) => one.check === check)!;
  assert.equal(ended.code, 1, ended.stderr);
  assert.equal(of('Node').state, 'ok');
  assert.deepEqual([of('open files').state, of('open files').remedy], ['fault', 'ulimit -n 65536']);
  assert.equal(of('data folder').state, 'fault');
  assert.match(of('data folder').text, /format 99/);
  assert.deepEqual([of('clock').state, of('clock').remedy], ['fault', 'sudo timedatectl set-ntp true']);
  assert.equal(of('DNS').state, 'ok');
  assert.match(of('proxies').text, /HTTPS_PROXY is set/);
  assert.match(of(`port ${port}`).remedy!, new RegExp(`--http 127\\.0\\.0\\.1:${port + 1}`));
  assert.match(of('registry').text, /does not answer/);
  const written = readFileSync(bundle, 'utf8');
  for (const hidden of ['hunter2', 'swordfish', 'tea@pot', 'pot@']) assert.ok(!written.includes(hidden), hidden);
  assert.match(written, /"CRAWLSTREAM_KAFKA_PASSWORD": "\(left out\)"/);
  assert.equal((JSON.parse(written) as { findings: unknown[] }).findings.length, findings.length);
});

test('doctor names brokers that are away, and a registry that refuses the login', async () => {
  const away = await runCommand(['doctor', '--host', 'localhost', '--brokers', '127.0.0.1:1', '--json']);
  const brokers = (lastJson(away)['findings'] as readonly Finding[]).find(({ check }) => check === 'brokers')!;
  assert.deepEqual([brokers.state, brokers.remedy], ['fault', 'nc -vz 127.0.0.1 1']);
  assert.equal(away.code, 1);
  const login = `Basic ${Buffer.from('me:swordfish').toString('base64')}`;
  const server = createHttpServer(({ headers }, response) =>
    response.writeHead(headers.authorization === login ? 200 : 401).end('[]'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const words = ['doctor', '--host', 'localhost', '--brokers', '127.0.0.1:1', '--registry', registry];
  const refused = await runCommand(words);
  assert.match(refused.stdout, /FAIL {2}registry .* refuses the login: 401/);
  const known = { CRAWLSTREAM_REGISTRY_USERNAME: 'me', CRAWLSTREAM_REGISTRY_PASSWORD: 'swordfish' };
  const welcome = await runCommand(words, { env: { ...process.env, ...known } });
  assert.match(welcome.stdout, / ok {3}registry /);
  assert.match(welcome.stdout, /FAIL {2}brokers /);
});

test('doctor asks for a newer Node below 20.19', () => {
  assert.equal(checkNode('20.18.3').state, 'fault');
  assert.equal(checkNode('20.19.0').state, 'ok');
  assert.equal(checkNode('22.1.0').state, 'ok');
});
