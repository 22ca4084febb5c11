/** An answer as bytes of HTTP/1.1 or frames of HTTP/2, split into parts at its named places. */
import { fieldBlock, frameFlags, frameOf, frameTypes, headFrames } from './situations/h2-frames.ts';
import type { Answer, Field, Place } from './situations/situation.ts';

export interface Part {
  readonly bytes: Buffer;
  /** The place that the answer has reached after this part. Absent: at no named place. */
  readonly place?: Place;
  /** The time until the next part. ms */
  readonly waitMs?: number;
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const half = (bytes: Buffer) => bytes.length >> 1;

export function http1Parts(answer: Answer): Part[] {
  if (answer.bytes !== undefined) return [{ bytes: latin1(answer.bytes), place: 'at the end' }];
  const head = latin1(http1Head(answer));
  const chunked = answer.framing === 'chunks';
  const size = (bytes: Buffer) => latin1(chunked ? `${bytes.length.toString(16)}\r\n` : '');
  const trailers = (answer.trailers ?? []).map(lineOf).join('');
  return withHead(head, [
    ...bodyParts(answer, size, latin1(chunked ? '\r\n' : '')),
    ...(chunked
      ? endParts(latin1(`0\r\n${trailers}\r\n`))
      : [{ bytes: Buffer.alloc(0), place: 'at the end' as const }]),
  ]);
}

export function http2Parts(answer: Answer, stream: number): Part[] {
  const interims = (answer.interims ?? []).map(({ status, fields }) =>
    headFrames(stream, fieldBlock([[':status', `${status}`], ...fields.map(lowered)]), false),
  );
  const length: Field[] = answer.framing === 'length' ? [['content-length', `${answer.body.length}`]] : [];
  const block = fieldBlock([[':status', `${answer.status}`], ...answer.fields.map(lowered), ...length]);
  const head = Buffer.concat([...interims, headFrames(stream, block, false)]);
  if (answer.frames !== undefined) {
    const frames = answer.frames.map(({ type, flags, payload, stream: to = stream }) =>
      frameOf(type, flags, to, payload),
    );
    return withHead(head, [{ bytes: Buffer.concat(frames), place: 'at the end' }]);
  }
  const frameHead = (bytes: Buffer) => frameOf(frameTypes.data, 0, stream, bytes).subarray(0, 9);
  const { trailers } = answer;
  const end =
    trailers === undefined
      ? frameOf(frameTypes.data, frameFlags.endStream, stream)
      : headFrames(stream, fieldBlock(trailers), true);
  return withHead(head, [...bodyParts(answer, frameHead, Buffer.alloc(0)), ...endParts(end)]);
}

/** Names have no capitals in HTTP/2 (RFC 9113 §8.2.1). */
const lowered = ([name, value]: Field): Field => [name.toLowerCase(), value];
const lineOf = ([name, value]: Field) => `${name}: ${value}\r\n`;

function http1Head({ status, fields, interims = [], framing, body, closes }: Answer): string {
  const before = interims.map((one) => `HTTP/1.1 ${one.status} x\r\n${one.fields.map(lineOf).join('')}\r\n`);
  // RFC 9112 §6.3: these have no body, and declare none.
  const isBare = status === 204 || status === 304;
  const length = isBare ? '' : `Content-Length: ${body.length}\r\n`;
  const framed = { length, chunks: 'Transfer-Encoding: chunked\r\n', close: '' }[framing];
  const last = closes || framing === 'close' ? 'Connection: close\r\n' : '';
  return `${before.join('')}HTTP/1.1 ${status} x\r\n${fields.map(lineOf).join('')}${framed}${last}\r\n`;
}

function withHead(head: Buffer, rest: readonly Part[]): Part[] {
  return [
    { bytes: Buffer.alloc(0), place: 'before the head' },
    { bytes: head.subarray(0, half(head)), place: 'in the head' },
    { bytes: head.subarray(half(head)), place: 'behind the head' },
    ...rest,
  ];
}

/** Most bytes of a chunk: DATA frames have no more (RFC 9113 §4.2). */
const chunkBytesMax = 16_384;

/** The last chunk is the one with places in it. */
function bodyParts({ body, drips }: Answer, head: (bytes: Buffer) => Buffer, behind: Buffer): Part[] {
  if (body.length === 0) return [];
  const step = Math.min(chunkBytesMax, Math.max(1, Math.ceil(body.length / (drips?.parts ?? 2))));
  const parts: Part[] = [];
  for (let at = 0; at < body.length; at += step) {
    const chunk = body.subarray(at, at + step);
    const size = head(chunk);
    const isLast = at + step >= body.length;
    if (!isLast) {
      const place = at + 2 * step >= body.length ? { place: 'behind a chunk' as const } : {};
      const waits = drips === undefined ? {} : { waitMs: drips.ms };
      parts.push({ bytes: Buffer.concat([size, chunk, behind]), ...place, ...waits });
      continue;
    }
    parts.push(
      { bytes: size.subarray(0, half(size)), place: 'in a chunk size' },
      { bytes: Buffer.concat([size.subarray(half(size)), chunk.subarray(0, half(chunk))]), place: 'in a chunk' },
      { bytes: Buffer.concat([chunk.subarray(half(chunk)), behind]), place: 'before the last chunk' },
    );
  }
  return parts;
}

function endParts(end: Buffer): Part[] {
  return [
    { bytes: end.subarray(0, half(end)), place: 'in the last chunk' },
    { bytes: end.subarray(half(end)), place: 'at the end' },
  ];
}
