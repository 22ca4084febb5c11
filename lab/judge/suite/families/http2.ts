/**
 * HTTP/2: frames that a client must read, and ends of connections that cost no page. The hosts speak nothing else: a
 * crawler without HTTP/2 fails the first check, and does not reach the others.
 */
import {
  fieldBlock,
  frameFlags,
  frameOf,
  frameTypes,
  headFrames,
  numbers,
} from '../../../ways/situations/h2-frames.ts';
import {
  type Check,
  check,
  type Fault,
  hrefOf,
  type Level,
  linksTo,
  type Page,
  rfc,
  type Step,
  type Visit,
} from '../check/check.ts';

const at = (path: string) => `https:b${path}`;
const only = { b: { protocols: ['h2'] } } as const;
const both = { b: { protocols: ['h2', 'http/1.1'] } } as const;
const source = (section: string) => rfc(9113, section);
const start = linksTo(hrefOf(at('/page')));
const body = Buffer.from(linksTo('/x'));

const codes = { noError: 0, refused: 7, calm: 11, http1Required: 13 } as const;
const { endStream, endHeaders } = frameFlags;
const paddedFlag = 8;
const streamMost = 2 ** 31 - 1;

const fields = [
  [':status', '200'],
  ['content-type', 'text/html; charset=utf-8'],
] as const;
const head = (stream: number, more: readonly (readonly [string, string])[] = []) =>
  headFrames(stream, fieldBlock([...fields, ...more]), false);
const data = (stream: number, bytes: Buffer = body, flags: number = endStream) =>
  frameOf(frameTypes.data, flags, stream, bytes);
const reset = (stream: number, code: number) => frameOf(frameTypes.reset, 0, stream, numbers(code));
const goAway = (last: number, code: number) => frameOf(frameTypes.goAway, 0, 0, numbers(Math.max(0, last), code));
const padded = (bytes: Buffer) => Buffer.concat([Buffer.of(9), bytes, Buffer.alloc(9)]);
/** A type and an identifier that no standard defines. */
const unknownType = 0xbe;
const unknownSetting = Buffer.of(0xfa, 0xfa, 0, 0, 0, 1);

function unread({ asked, requests }: Visit): Fault | undefined {
  return asked(at('/x')).length > 0 ? undefined : { why: `It never asked for ${at('/x')}.`, requests };
}

const steps = (...keys: readonly string[]): Step[] => keys.map((key) => ({ key, waitMs: 0 }));
const reached = steps('/robots.txt', '/', at('/page'));

/** A page that counts as read when its link is asked for. */
function read(name: string, level: Level, section: string, title: string, page: Page, weight = 1): Check {
  return check(`http2/${name}`, level, source(section), title, {
    secure: only,
    pages: { '/': start, [at('/page')]: page },
    control: at('/page'),
    weight,
    fault: unread,
    honest: () => [...reached, ...steps(at('/x'))],
    planted: () => reached,
  });
}

const framed = (frames: (stream: number) => readonly Buffer[]) => ({
  frames: (stream: number) => Buffer.concat(frames(stream)),
});
const first =
  (page: Page): Page =>
  ({ nth, ...ask }) =>
    nth > 1 ? String(body) : typeof page === 'function' ? page({ nth, ...ask }) : page;

const forms: readonly Check[] = [
  read('large-page', 'MUST', '6.9', 'a page larger than the first window is read to its end', {
    body: `<!doctype html><title>t</title>${'<p>text</p>'.repeat(20_000)}<a href="/x">x</a>`,
  }),
  read(
    'long-head',
    'MUST',
    '6.10',
    'a head that continues in CONTINUATION frames is read',
    framed((stream) => [head(stream, [['x-long', 'x'.repeat(20_000)]]), data(stream)]),
  ),
  read(
    'padding',
    'MUST',
    '6.1',
    'padding of frames is dropped',
    framed((stream) => [
      frameOf(frameTypes.headers, endHeaders | paddedFlag, stream, padded(fieldBlock(fields))),
      data(stream, padded(body), endStream | paddedFlag),
    ]),
  ),
  read(
    'empty-data',
    'MUST',
    '6.1',
    'empty DATA frames do not end a page',
    framed((stream) => [head(stream), ...[1, 2, 3].map(() => data(stream, Buffer.alloc(0), 0)), data(stream)]),
  ),
  read(
    'unknown-frame',
    'MUST',
    '5.5',
    'frames of an unknown type are ignored',
    framed((stream) => [
      ...[0, stream].map((on) => frameOf(unknownType, 0xff, on, Buffer.from('odd'))),
      ...[head(stream), frameOf(unknownType, 0, stream, Buffer.alloc(0)), data(stream)],
    ]),
  ),
  read('unknown-setting', 'MUST', '6.5.2', 'an unknown setting is ignored', {
    ...framed((stream) => [
      frameOf(frameTypes.settings, 0, 0, unknownSetting),
      ...[head(stream), data(stream), goAway(stream, codes.noError)],
    ]),
    closes: true,
  }),
  read(
    'early-hints',
    'MUST',
    '8.1',
    'an answer of 103 comes before the page, over HTTP/2 too',
    framed((stream) => [
      headFrames(
        stream,
        fieldBlock([
          [':status', '103'],
          ['link', '</style.css>; rel=preload'],
        ]),
        false,
      ),
      ...[head(stream), data(stream)],
    ]),
  ),
  read(
    'trailers',
    'MUST',
    '8.1',
    'trailers may end a page',
    framed((stream) => [
      ...[head(stream), data(stream, body, 0)],
      headFrames(stream, fieldBlock([['x-sum', '1']]), true),
    ]),
  ),
  read(
    'reset-after-end',
    'MUST',
    '8.1',
    'a reset without error after a whole page does not discard it',
    framed((stream) => [head(stream), data(stream), reset(stream, codes.noError)]),
  ),
];

const ends: readonly Check[] = [
  read(
    'refused-stream',
    'practice',
    '8.7',
    'a request that the server refused is sent again',
    first(framed((stream) => [reset(stream, codes.refused)])),
    2,
  ),
  read(
    'goaway-unprocessed',
    'practice',
    '8.7',
    'a request beyond the last stream of a GOAWAY is sent again',
    first({ ...framed((stream) => [goAway(stream - 2, codes.noError)]), closes: true }),
    2,
  ),
  check('http2/goaway', 'MUST', source('6.8'), 'no stream is opened on a connection after its GOAWAY', {
    secure: only,
    pages: {
      '/': start,
      [at('/page')]: framed((stream) => [
        goAway(streamMost, codes.noError),
        ...[head(stream), data(stream, Buffer.from(linksTo('/x', '/y')))],
      ]),
    },
    control: at('/page'),
    weight: 2,
    fault: (visit) => {
      const [last] = visit.asked(at('/page'));
      const late = visit.requests.filter(
        ({ connection, startMs }) => connection === last!.connection && startMs > last!.endMs,
      );
      return late.length > 0 ? { why: 'It used the connection again.', requests: [last!, ...late] } : unread(visit);
    },
    honest: () => [...reached, ...steps(at('/x'))],
    planted: () => [...reached.slice(0, 2), { key: at('/page'), waitMs: 0, further: [at('/x')] }],
  }),
  ...(['stream', 'connection'] as const).map((where) =>
    check(
      `http2/http1-required-${where}`,
      'practice',
      source('7'),
      `a server that requires HTTP/1.1 for a ${where} gets the request over HTTP/1.1`,
      {
        secure: both,
        pages: {
          '/': start,
          [at('/page')]: ({ isHttp2 }) => {
            if (!isHttp2) return String(body);
            if (where === 'stream') return framed((stream) => [reset(stream, codes.http1Required)]);
            return { ...framed((stream) => [goAway(stream - 2, codes.http1Required)]), closes: true };
          },
        },
        control: at('/page'),
        weight: 2,
        fault: unread,
        honest: () => [...reached, ...steps(at('/x'))],
        planted: () => reached,
      },
    ),
  ),
  check(
    'http2/enhance-your-calm',
    'practice',
    source('7'),
    'a host that asks for calm gets longer gaps than the delay',
    {
      secure: only,
      pages: {
        '/': start,
        [at('/page')]: first({ ...framed((stream) => [goAway(stream - 2, codes.calm)]), closes: true }),
      },
      control: at('/page'),
      weight: 3,
      fault: ({ requests, asked, pace }) => {
        const [busy] = asked(at('/page'));
        const next = requests.find(({ key, startMs }) => key.startsWith('https:b/') && startMs > busy!.startMs);
        const gap = next === undefined ? Number.POSITIVE_INFINITY : next.startMs - busy!.endMs;
        if (gap >= 2 * pace.delayMs * 0.9) return undefined;
        return { why: `It came back after ${gap.toFixed(0)} ms.`, requests: [busy!, next!] };
      },
      honest: ({ delayMs }) => [...reached, { key: at('/page'), waitMs: delayMs * 3 }],
      planted: () => [...reached, ...steps(at('/page'))],
    },
  ),
];

const conduct: readonly Check[] = [
  check('http2/page', 'practice', source('3.2'), 'a host that speaks only HTTP/2 is read', {
    secure: only,
    want: [at('/x')],
  }),
  check('http2/ping', 'MUST', source('6.7'), 'a PING is answered', {
    secure: only,
    pages: { '/': start, [at('/page')]: { pings: true, body } },
    control: at('/page'),
    weight: 1,
    fault: ({ asked }) => {
      const requests = asked(at('/page')).filter(({ tls }) => tls?.pongs === 0);
      return requests.length > 0 ? { why: 'The PING was not answered.', requests } : undefined;
    },
    planted: () => [...reached.slice(0, 2), { key: at('/page'), waitMs: 0, isDeaf: true }],
  }),
  check('http2/one-connection', 'SHOULD', source('9.1'), 'the pages of a host come over one connection', {
    secure: only,
    pages: { '/': start, [at('/page')]: linksTo('/a', '/b', '/c', '/d') },
    control: at('/d'),
    weight: 1,
    fault: ({ requests }) => {
      const streams = requests.filter(({ tls }) => tls?.isHttp2 === true);
      const { size } = new Set(streams.map(({ connection }) => connection));
      return size > 2 ? { why: `It opened ${size} connections.`, requests: streams } : undefined;
    },
    honest: () => [
      ...steps('/robots.txt', '/'),
      { key: at('/page'), waitMs: 0, further: ['/a', '/b', '/c', '/d'].map(at) },
    ],
    planted: () => [...reached, ...steps(...['/a', '/b', '/c', '/d'].map(at))],
  }),
  check(
    'http2/endless-head',
    'practice',
    'https://nowotarski.info/http2-continuation-flood/',
    'of a head without end in CONTINUATION frames, at most 8 MiB are taken',
    {
      secure: only,
      pages: {
        '/': start,
        [at('/page')]: {
          frames: (stream) => frameOf(frameTypes.headers, 0, stream, fieldBlock(fields)),
          flood: {
            frame: (stream) =>
              frameOf(frameTypes.continuation, 0, stream, fieldBlock([['x-more', 'x'.repeat(16_000)]])),
            count: 1_000,
          },
        },
      },
      control: at('/page'),
      weight: 3,
      fault: ({ asked }) => {
        const heavy = asked(at('/page')).filter(({ bytes }) => bytes > 8 << 20);
        return heavy.length > 0 ? { why: `It took ${heavy[0]!.bytes >> 20} MiB.`, requests: heavy } : undefined;
      },
      honest: () => [...reached.slice(0, 2), { key: at('/page'), waitMs: 0, bytesMax: 1 << 20 }],
      planted: () => reached,
    },
  ),
];

export const http2Checks: readonly Check[] = [...conduct, ...forms, ...ends];
