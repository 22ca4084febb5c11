/** HTTP/2 as servers speak it, whose frames are written by hand. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fieldBlock, headFrames } from '../../../../lab/ways/situations/h2-frames.ts';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient, type HttpClientOptions } from '../../../../services/fetcher/http/client.ts';
import { headersOf } from '../../../../services/fetcher/http/headers.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { type Stream, serveFrames, streamsMaxOf } from './h2-frames.ts';
import { certificate } from './tls-fixture.ts';

function open(t: TestContext, more: Partial<HttpClientOptions> = {}) {
  const clock = new SystemClock();
  const resolver = createResolver({
    clock,
    lookup: async () => ({ addresses: [], ttlMs: 0 }),
    overrides: compileOverrides([parseResolveOverride('*:127.0.0.1')]),
    isBlocked: () => true,
  });
  const limits = { headersTimeoutMs: 500, bodyIdleTimeoutMs: 500, ...more.limits };
  const client = createHttpClient({ clock, resolver, ca: certificate, ...more, limits });
  t.after(() => client.close());
  return (url: string) => client.request({ url, headers: ['user-agent', 'test'] });
}

const codes = [0, 1, 2, 5, 7, 8, 11, 99, 13];

describe('a response over HTTP/2', () => {
  it('an HTTP/2 response is complete after END_STREAM alone, whatever the reset code, with or without Content-Length', async (t) => {
    for (const fields of [[], [['content-length', '100']]] as [string, string][][]) {
      let code = 0;
      const server = await serveFrames(t, (stream) => {
        stream.head(200, fields);
        stream.data('half');
        setTimeout(() => stream.reset(code), 20);
      });
      const get = open(t);
      for (code of codes) {
        const { failure, status, staleConnection } = await get(server.url('/'));
        assert.ok(failure !== null, `code ${code}`);
        assert.deepEqual([status, staleConnection], [200, false], `code ${code}: ${failure.detail}`);
      }
    }
  });

  it('an HTTP/2 response is complete after a reset behind END_STREAM, and if its head or trailers end the stream', async (t) => {
    const server = await serveFrames(t, (stream, { requests }) => {
      if (requests === 1) return stream.head(204, [], true);
      stream.head(200);
      stream.data('whole', requests === 2);
      if (requests === 2) stream.reset(0);
      else stream.frame(1, 5, Buffer.from([0, 1, 0x78, 1, 0x79]));
    });
    const get = open(t);
    for (const body of ['', 'whole', 'whole']) {
      const response = await get(server.url('/'));
      assert.deepEqual([response.failure, response.body.toString()], [null, body]);
    }
  });

  it('a stream that is reset on an idle connection is an answer, and not a connection that closed meanwhile', async (t) => {
    let code = 0;
    const server = await serveFrames(t, (stream, { requests }) => {
      if (requests === 1) stream.head(204, [], true);
      else stream.reset(code);
    });
    for (code of [0, 2, 8]) {
      const get = open(t);
      await get(server.url('/'));
      await wait(150);
      const { failure, staleConnection } = await get(server.url('/'));
      assert.deepEqual([failure?.kind, staleConnection], ['connectionFailed', false], `code ${code}`);
    }
  });

  it('a server that breaks the rules of an HTTP/2 connection within a response gives a bad response', async (t) => {
    const promise = Buffer.from([0, 0, 0, 2, 0x82]);
    for (const [name, [type, flags, payload, id]] of Object.entries({
      'PUSH_PROMISE that nobody allowed': [5, 4, promise, undefined],
      'WINDOW_UPDATE of 0 on the connection': [8, 0, Buffer.alloc(4), 0],
    } as const)) {
      const server = await serveFrames(t, (stream) => {
        stream.head(200);
        stream.frame(type, flags, payload, id);
        stream.data('x', true);
      });
      assert.equal((await open(t)(server.url('/'))).failure?.kind, 'badResponse', name);
    }
  });

  it('an HTTP/2 response that breaks off with its connection is a failure', async (t) => {
    const server = await serveFrames(t, (stream) => {
      stream.head(200);
      stream.data('half');
      setTimeout(() => stream.socket.end(), 20);
    });
    assert.equal((await open(t)(server.url('/'))).failure?.kind, 'connectionFailed');
  });

  it('an HTTP/2 response keeps each field, in order, as bytes', async (t) => {
    const tags = ['noindex', 'otherbot: noarchive', 'noindex, nofollow'];
    const server = await serveFrames(t, (stream) =>
      stream.head(
        200,
        [...tags.map((tag) => ['x-robots-tag', tag] as const), ['location', '/t\xc3\xa9'], ['content-type', 'a/b']],
        true,
      ),
    );
    const { headers } = await open(t)(server.url('/'));
    assert.deepEqual(headersOf(headers, 'x-robots-tag'), tags);
    assert.deepEqual(headersOf(headers, 'location'), ['/t\xc3\xa9']);
  });

  it('an HTTP/2 response may have hundreds of fields, up to the bound on their bytes', async (t) => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => [`x${i}`, 'y'] as const);
    const server = await serveFrames(t, (stream, { requests }) =>
      stream.head(200, requests === 1 ? fields(500) : [['x', 'y'.repeat(3_000)]], true),
    );
    const get = open(t, { limits: { headerBytesMax: 2_990 } });
    assert.equal((await get(server.url('/'))).headers.length, 1_000);
    assert.equal((await get(server.url('/'))).failure?.kind, 'badResponse');
  });
});

describe('a connection over HTTP/2 that is shut down', () => {
  it('an HTTP/2 connection that sends GOAWAY completes the covered requests, and another connection takes the next', async (t) => {
    for (const [code, had] of [
      [0, 'nothing'],
      [0, 'head'],
      [0, 'half'],
    ] as const)
      for (const last of [undefined, 2 ** 31 - 1]) {
        const server = await serveFrames(t, (stream, { number }) => {
          if (number > 1 || had !== 'nothing') stream.head(200);
          if (had === 'half') stream.data('who');
          if (number === 1) stream.goAway(code, last);
          setTimeout(() => {
            if (number === 1 && had === 'nothing') stream.head(200);
            stream.data(had === 'half' ? 'le' : 'whole', true);
          }, 30);
        });
        const get = open(t);
        for (const connection of [1, 2]) {
          const { failure, body } = await get(server.url('/'));
          assert.deepEqual([failure, body.toString()], [null, 'whole'], `${had} had come`);
          assert.equal(server.connections.length, connection);
        }
      }
  });

  it('an HTTP/2 request that is beyond GOAWAY, or refused, may be sent again', async (t) => {
    for (const how of ['goAway', 'refused'] as const) {
      const server = await serveFrames(t, (stream, { number, requests }) => {
        if (number === 1 && requests === 1 && how === 'goAway') return stream.goAway(0, 0);
        if (number === 1 && requests === 1) return stream.reset(7);
        stream.head(200);
        stream.data('whole', true);
      });
      const get = open(t);
      const first = await get(server.url('/'));
      assert.deepEqual([first.failure?.kind, first.staleConnection], ['connectionFailed', true], how);
      assert.equal((await get(server.url('/'))).body.toString(), 'whole');
    }
  });

  it('an HTTP/2 connection that breaks in any way is replaced by another', async (t) => {
    const ways: ((stream: Parameters<Parameters<typeof serveFrames>[1]>[0]) => void)[] = [
      ({ socket }) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      ({ frame }) => frame(1, 5, Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)),
      ({ frame }) => frame(6, 1, Buffer.alloc(8), 0),
      ({ frame }) => frame(0, 1, Buffer.alloc(60_000)),
      ({ goAway }) => goAway(2),
      ({ goAway }) => goAway(11),
      ({ socket }) => socket.destroy(),
      ({ socket }) => socket.end(),
    ];
    for (const [index, way] of ways.entries()) {
      const server = await serveFrames(t, (stream, { number }) => {
        if (number === 1) return way(stream);
        stream.head(200);
        stream.data('whole', true);
      });
      const get = open(t);
      assert.ok((await get(server.url('/'))).failure !== null, `way ${index}`);
      assert.equal((await get(server.url('/'))).body.toString(), 'whole', `after way ${index}`);
    }
  });

  it('ENHANCE_YOUR_CALM on HTTP/2 counts as a request to slow down', async (t) => {
    for (const how of ['reset', 'goAway'] as const) {
      const server = await serveFrames(t, (stream) => stream[how](11));
      assert.equal((await open(t)(server.url('/'))).failure?.kind, 'throttled', how);
    }
  });
});

describe('a server that wants HTTP/1.1', () => {
  it('a server that wants HTTP/1.1 says so on a stream or with GOAWAY: the request may be sent again, and HTTP/2 is not offered again', async (t) => {
    const http1 = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none';
    for (const how of ['reset', 'goAway'] as const) {
      const server = await serveFrames(t, (stream) => stream[how](13), { http1 });
      const get = open(t);
      const first = await get(server.url('/'));
      assert.deepEqual([first.failure?.kind, first.staleConnection], ['connectionFailed', true]);
      for (let i = 0; i < 2; i++) assert.equal((await get(server.url('/'))).body.toString(), 'one');
      assert.deepEqual(server.asked, ['2', '1.1', '1.1']);
    }
  });
});

describe('a connection over HTTP/2 that is silent', () => {
  it('a silent HTTP/2 connection is not used again after a time-out, even if it stays open', async (t) => {
    const server = await serveFrames(t, (stream, connection) => {
      if (connection.number === 1) connection.reads = false;
      else stream.head(200, [], true);
    });
    const get = open(t);
    assert.equal((await get(server.url('/'))).failure?.kind, 'timeout');
    assert.equal((await get(server.url('/'))).status, 200);
    assert.equal(server.connections.length, 2);
  });

  it('a silent HTTP/2 connection that does not answer a PING is dead, and the request may be sent again', async (t) => {
    const server = await serveFrames(
      t,
      (stream, { number, requests }) => {
        if (number === 2 || requests === 1) stream.head(200, [], true);
      },
      { answersPings: false },
    );
    const get = open(t, { limits: { headersTimeoutMs: 15_000 } });
    assert.equal((await get(server.url('/'))).status, 200);
    const lost = await get(server.url('/'));
    assert.deepEqual([lost.failure?.kind, lost.staleConnection], ['connectionFailed', true]);
    assert.equal(server.connections[0]!.pings, 1);
    assert.equal((await get(server.url('/'))).status, 200);
  });

  it('a server that breaks the rules of HTTP/2 is found long before a time limit, wherever the library says nothing', async (t) => {
    const longField = fieldBlock([
      [':status', '200'],
      ['x-long', 'x'.repeat(70_000)],
    ]);
    const ways: ((stream: Stream) => void)[] = [
      (stream) => stream.frame(0, 0, Buffer.alloc(20_000)),
      (stream) => stream.frame(0, 0, Buffer.from('x'), 0),
      (stream) => stream.frame(4, 0, Buffer.alloc(5), 0),
      (stream) => stream.frame(9, 4, Buffer.alloc(0)),
      (stream) => stream.frame(1, 5, Buffer.alloc(6, 0xff)),
      (stream) => stream.socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (stream) => stream.socket.write(headFrames(stream.id, longField, true)),
    ];
    await Promise.all(
      ways.map(async (way, n) => {
        const server = await serveFrames(t, (stream, { number, requests }) => {
          if (number === 2) return stream.head(200, [], true);
          if (n % 2 === 0 && requests === 1) return stream.head(204, [], true);
          if (n < ways.length - 2) stream.head(200);
          way(stream);
        });
        const minute = 60_000;
        const limits = { headersTimeoutMs: minute, bodyIdleTimeoutMs: minute, totalTimeoutMs: minute };
        const get = open(t, { limits });
        if (n % 2 === 0) assert.equal((await get(server.url('/'))).status, 204);
        assert.equal((await get(server.url('/'))).failure?.kind, 'badResponse', `way ${n}`);
        assert.equal((await get(server.url('/'))).status, 200, `after way ${n}`);
      }),
    );
  });

  it('a body over HTTP/2 that pauses stays, whether its server answers PINGs or not', async (t) => {
    for (const answersPings of [true, false]) {
      const server = await serveFrames(
        t,
        (stream) => {
          stream.head(200);
          stream.data('first ');
          setTimeout(() => stream.data('last', true), 5_000);
        },
        { answersPings },
      );
      const get = open(t, { limits: { bodyIdleTimeoutMs: 60_000 } });
      for (const _ of [1, 2]) assert.equal((await get(server.url('/'))).body.toString(), 'first last');
      assert.equal(server.connections.length, 1);
    }
  });

  it('an idle HTTP/2 connection is closed after the keep-alive time', async (t) => {
    const server = await serveFrames(t, (stream) => stream.head(200, [], true));
    const get = open(t, { limits: { keepAliveMs: 100 } });
    await get(server.url('/'));
    await wait(2_300);
    await get(server.url('/'));
    assert.equal(server.connections.length, 2);
  });
});

describe('a server that allows no stream', () => {
  it('a request waits for a server that allows no stream over HTTP/2 for a while', async (t) => {
    const server = await serveFrames(
      t,
      (stream, { requests }) => {
        if (requests > 1) return stream.head(200, [], true);
        stream.reset(7);
        setTimeout(() => stream.frame(4, 0, streamsMaxOf(1), 0), 4_000);
      },
      { streamsMax: 0 },
    );
    const get = open(t, { limits: { headersTimeoutMs: 60_000 } });
    assert.equal((await get(server.url('/'))).staleConnection, true);
    assert.equal((await get(server.url('/'))).status, 200);
    assert.equal(server.connections.length, 1);
  });

  it('a request to a server that allows no stream over HTTP/2 times out, and the next one finds a new connection', async (t) => {
    const server = await serveFrames(
      t,
      (stream, { number }) => {
        if (number === 1) stream.reset(7);
        else stream.head(200, [], true);
      },
      { streamsMax: 0 },
    );
    const get = open(t);
    assert.equal((await get(server.url('/'))).staleConnection, true);
    const { failure } = await get(server.url('/'));
    assert.equal(failure?.kind, 'timeout');
    assert.equal(server.connections[0]!.requests, 1);
    assert.equal((await get(server.url('/'))).status, 200);
    assert.equal(server.connections.length, 2);
  });
});
