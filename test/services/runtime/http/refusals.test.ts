import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { httpLimits } from '../../../../services/runtime/http/http-limits.ts';
import { type HttpServer, startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';
import { problemOf } from '../../../../services/runtime/http/refusals.ts';

let server: HttpServer;
let release = () => {};

async function start(): Promise<HttpServer> {
  return startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    onBug: () => {},
    routes: [
      (app) => {
        app.post('/names', { config: { access: 'public' } }, async () => ({}));
        app.get('/names/:name', { config: { access: 'public' } }, async () => ({}));
        app.get('/slow', { config: { access: 'public' } }, () => new Promise((done) => (release = () => done({}))));
      },
    ],
  });
}

before(async () => {
  server = await start();
});
after(() => server.close());

/** The answer to bytes that are sent as they are: its status and its body. */
async function answerTo(
  bytes: string,
): Promise<{ readonly status: number; readonly type: string; readonly body: string }> {
  const [host, port] = server.address.split(':');
  const socket = connect(Number(port), host);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(bytes, 'latin1');
  await once(socket, 'close');
  const [head, body = ''] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
  const type = /^content-type: ([^;\r]*)/im.exec(head!)?.[1] ?? '';
  return { status: Number(head!.split(' ')[1]), type, body };
}

function call(method: string, path: string, headers: Record<string, string> = {}, body = ''): string {
  const lines = Object.entries({ Host: server.address, Connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

const json = { 'Content-Type': 'application/json' };
const refused: readonly (readonly [
  what: string,
  bytes: () => string,
  status: number,
  code: string,
  message: RegExp,
])[] = [
  ['a path that no route has', () => call('GET', '/none'), 404, 'NOT_FOUND', /GET \/none/],
  ['a method that no route has', () => call('DELETE', '/names'), 404, 'NOT_FOUND', /DELETE \/names/],
  ['a path that is not UTF-8', () => call('GET', '/names/%E0%A4%A'), 400, 'BAD_REQUEST', /percent-encode/],
  ['a path of 500 characters', () => call('GET', `/names/${'a'.repeat(500)}`), 414, 'TOO_LONG', /path/],
  ['a parameter given twice', () => call('GET', '/names/a?b=1&b=2'), 400, 'BAD_REQUEST', /parameter b/],
  ['a host that is not this machine', () => call('GET', '/names/a', { Host: 'evil.test' }), 403, 'FORBIDDEN', /evil/],
  [
    'a body that is no JSON',
    () => call('POST', '/names', { ...json, 'Content-Length': '4' }, '{bad'),
    400,
    'BAD_REQUEST',
    /JSON/,
  ],
  ['an empty body', () => call('POST', '/names', { ...json, 'Content-Length': '0' }), 400, 'BAD_REQUEST', /empty/],
  [
    'a body of another type',
    () => call('POST', '/names', { 'Content-Type': 'text/xml', 'Content-Length': '4' }, '<a/>'),
    415,
    'UNSUPPORTED_TYPE',
    /application\/json/,
  ],
  [
    'a body beyond the limit',
    () =>
      call(
        'POST',
        '/names',
        { ...json, 'Content-Length': `${httpLimits.bodyBytesMax + 1}` },
        ' '.repeat(httpLimits.bodyBytesMax + 1),
      ),
    413,
    'TOO_LARGE',
    /1048576/,
  ],
  [
    'headers beyond the limit',
    () => call('GET', '/names/a', { 'X-Big': 'a'.repeat(20_000) }),
    431,
    'TOO_LONG',
    /headers/,
  ],
  ['what is no HTTP', () => 'GARBAGE\r\n\r\n', 400, 'BAD_REQUEST', /HTTP/],
  ['a length that is no number', () => call('GET', '/livez', { 'Content-Length': 'x' }), 400, 'BAD_REQUEST', /length/],
  [
    'a broken chunk',
    () => call('POST', '/names', { ...json, 'Transfer-Encoding': 'chunked' }, 'zz\r\n'),
    400,
    'BAD_REQUEST',
    /HTTP/,
  ],
  ['a method that does not exist', () => call('FOO', '/names'), 400, 'BAD_REQUEST', /HTTP/],
  [
    'an expectation that nobody meets',
    () => call('GET', '/livez', { Expect: 'a-miracle' }),
    417,
    'EXPECTATION_FAILED',
    /Expect/,
  ],
];

for (const [what, bytes, status, code, message] of refused)
  test(`a request with ${what} is refused with a code and one line of text, as JSON`, async () => {
    const answer = await answerTo(bytes());
    assert.deepEqual([answer.status, answer.type], [status, 'application/json']);
    const body = JSON.parse(answer.body) as { readonly error: string; readonly message: string };
    assert.deepEqual(Object.keys(body), ['error', 'message']);
    assert.equal(body.error, code);
    assert.match(body.message, message);
  });

test('a request on an open connection of a service that is stopping gets a 503 and the time to come again', async () => {
  const stopping = await start();
  const url = `http://${stopping.address}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const first = request(`${url}/slow`, { agent }).end();
  const [host, port] = stopping.address.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  socket.write(`GET /slow HTTP/1.1\r\nHost: ${stopping.address}\r\n\r\n`);
  await new Promise((done) => setTimeout(done, 100));
  const closed = stopping.close();
  await new Promise((done) => setTimeout(done, 50));
  socket.write(`GET /names/a HTTP/1.1\r\nHost: ${stopping.address}\r\n\r\n`);
  release();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  first.on('error', () => {});
  first.destroy();
  await once(socket, 'close');
  await closed;
  const text = Buffer.concat(chunks).toString('latin1');
  assert.match(text, /HTTP\/1\.1 503/);
  assert.match(text, /retry-after: \d/i);
  assert.match(text, /\{"error":"STOPPING","message":"this process is stopping: retry in a moment"\}/);
});

test('an error of the framework with a status that has no words is a bad request, without the framework’s words', () => {
  const unknown = problemOf({ code: 'FST_ERR_SOMETHING', message: 'internals' }, 499);
  assert.deepEqual(unknown, {
    ...{ error: 'BAD_REQUEST', message: 'the request is not valid HTTP: check its line, its headers and its length' },
  });
});
