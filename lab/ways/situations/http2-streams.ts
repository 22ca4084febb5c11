/** Situations of HTTP/2 alone: resets of a stream, GOAWAY, frames that are odd or wrong. */
import { broken, notFound, ok, pageOutcome, pageText, times } from './answers.ts';
import { fieldBlock, frameFlags, frameTypes, numbers } from './h2-frames.ts';
import type { Answer, Frame, Situation } from './situation.ts';

const only = { where: { version: 'HTTP/2' }, reason: 'HTTP/1.1 has no streams and no frames (RFC 9113 §4)' } as const;
const names = [
  ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED'],
  ...['FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM'],
  ...['INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
];
const situation = (name: string, page: readonly Answer[], expects: string): Situation => ({
  ...{ group: 'HTTP/2', name, page, only, expects },
  outcomeOf: (seen) => `${pageOutcome(seen)}${times(seen) === 1 ? '' : `, asked ${times(seen)} times`}`,
});

const kinds: Readonly<Record<string, string>> = {
  PROTOCOL_ERROR: 'badResponse',
  FLOW_CONTROL_ERROR: 'badResponse',
  FRAME_SIZE_ERROR: 'badResponse',
  COMPRESSION_ERROR: 'badResponse',
  ENHANCE_YOUR_CALM: 'throttled',
};
const resetsInBody = names.map((name, code) =>
  situation(
    `RST_STREAM in the body, ${name}`,
    [broken('behind a chunk', code)],
    `${kinds[name] ?? 'connectionFailed'} 200`,
  ),
);
const resetsBeforeHead = names.map((name, code) => {
  const first = broken('before the head', code);
  if (name === 'REFUSED_STREAM')
    return situation(
      `RST_STREAM before the head, ${name}, then a page`,
      [first, ok()],
      'fetched 200, whole, asked 2 times',
    );
  // The crawler then retries over HTTP/1.1, which the server does not speak.
  if (name === 'HTTP_1_1_REQUIRED') return situation(`RST_STREAM before the head, ${name}`, [first], 'tlsFailed');
  return situation(`RST_STREAM before the head, ${name}`, [first], kinds[name] ?? 'connectionFailed');
});

const body = Buffer.from(pageText());
const data = (payload: Buffer, flags = 0): Frame => ({ type: frameTypes.data, flags, payload });
const whole = data(body, frameFlags.endStream);
const frames = (name: string, list: readonly Frame[], expects = 'fetched 200, whole') =>
  situation(name, [ok({ framing: 'chunks', frames: list })], expects);
const onConnection = (type: number, payload: Buffer, flags = 0): Frame => ({ type, flags, payload, stream: 0 });
const padded = Buffer.concat([Buffer.of(9), body, Buffer.alloc(9)]);

const oddFrames = [
  frames('a padded DATA frame', [{ type: 0, flags: frameFlags.endStream | 8, payload: padded }]),
  frames('empty DATA frames', [data(Buffer.alloc(0)), data(Buffer.alloc(0)), whole]),
  frames('a frame of an unknown type', [{ type: 0xee, flags: 0xff, payload: Buffer.from('odd') }, whole]),
  frames('an unknown frame on the connection', [onConnection(0xef, Buffer.from('odd')), whole]),
  frames('PRIORITY in the body', [{ type: 2, flags: 0, payload: Buffer.of(0, 0, 0, 0, 16) }, whole]),
  frames('ALTSVC', [
    { type: 10, flags: 0, payload: Buffer.concat([Buffer.of(0, 0), Buffer.from('h3=":443"')]) },
    whole,
  ]),
  frames('ORIGIN on the connection', [onConnection(12, Buffer.alloc(0)), whole]),
  frames('PING in the body', [onConnection(frameTypes.ping, Buffer.alloc(8)), whole]),
  frames('a second SETTINGS frame', [onConnection(frameTypes.settings, Buffer.alloc(0)), whole]),
  frames('WINDOW_UPDATE in the body', [onConnection(8, numbers(1000)), whole]),
  frames('RST_STREAM, NO_ERROR, behind the end', [whole, { type: frameTypes.reset, flags: 0, payload: numbers(0) }]),
  frames('RST_STREAM, CANCEL, behind the end', [whole, { type: frameTypes.reset, flags: 0, payload: numbers(8) }]),
  frames('trailers that end the stream', [
    data(body),
    { type: frameTypes.headers, flags: 5, payload: fieldBlock([['x-sum', '1']]) },
  ]),
  frames('GOAWAY behind the head, and the body goes on', [
    onConnection(frameTypes.goAway, numbers(2 ** 31 - 1, 0)),
    whole,
  ]),
];
const wrongFrames = [
  frames('ALTSVC that says nothing', [{ type: 10, flags: 0, payload: Buffer.of(0, 0) }, whole], 'badResponse 200'),
  frames(
    'PUSH_PROMISE that nobody allowed',
    [{ type: 5, flags: 4, payload: Buffer.concat([numbers(2), fieldBlock([[':method', 'GET']])]) }, whole],
    'badResponse 200',
  ),
  frames('WINDOW_UPDATE of 0 on the connection', [onConnection(8, numbers(0)), whole], 'badResponse 200'),
  frames('DATA behind the end', [whole, data(Buffer.from('more'))]),
];
const unsaid = (name: string, list: readonly Frame[]) => frames(name, list, 'badResponse 200');
/** Node's session stops reading after these, and does not report it: an unanswered PING shows it. */
const unsaidFrames = [
  unsaid('an oversized frame', [data(Buffer.alloc(20_000)), whole]),
  unsaid('DATA on stream 0', [{ ...data(Buffer.from('x')), stream: 0 }, whole]),
  unsaid('SETTINGS of a length that is none', [onConnection(frameTypes.settings, Buffer.alloc(5)), whole]),
  unsaid('CONTINUATION without HEADERS', [
    { type: frameTypes.continuation, flags: 4, payload: Buffer.alloc(0) },
    whole,
  ]),
  unsaid('a field block that is none', [{ type: frameTypes.headers, flags: 5, payload: Buffer.alloc(6, 0xff) }]),
  unsaid('bytes of HTTP/1.1 in the body', [
    { type: 0x54, flags: 0x54, payload: Buffer.alloc(0), stream: 0 },
    { ...data(Buffer.from('x')), stream: 7_777 },
  ]),
];
const noMoreStreams: Situation = {
  ...situation('MAX_CONCURRENT_STREAMS 0 behind robots.txt, for ever', [ok()], 'timeout, asked 0 times'),
  robots: [{ ...notFound, streamsMax: 0 }],
  isSlow: true,
};
const goAway = (code: number, last: number) => onConnection(frameTypes.goAway, numbers(last, code));
const goAways = [
  frames(
    'GOAWAY, INTERNAL_ERROR, in the body, and no more',
    [data(body.subarray(0, 99)), goAway(2, 2 ** 31 - 1), { type: frameTypes.reset, flags: 0, payload: numbers(2) }],
    'connectionFailed 200',
  ),
];

export const http2Streams: readonly Situation[] = [
  ...resetsInBody,
  ...resetsBeforeHead,
  ...oddFrames,
  ...wrongFrames,
  ...unsaidFrames,
  ...goAways,
  noMoreStreams,
];
