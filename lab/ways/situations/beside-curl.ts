/** Answers that curl treats differently from the crawler, with the reason. */
import type { Where } from './situation.ts';

export interface CurlDifference {
  /** Names of situations, each as `group: name`. */
  readonly of: readonly string[];
  /** Absent: over all ways of the situation. */
  readonly where?: Where;
  /**
   * The exit code of curl; for an answer that curl accepted as complete also its status, and the received part of its
   * body.
   */
  readonly says: string;
  readonly reason: string;
}

const whole = (status: number) => `exit 0, ${status}, the whole body`;

export const besideCurl: readonly CurlDifference[] = [
  {
    ...{ of: ['status: 206'], says: whole(206) },
    reason: 'nobody asked for a part, so that it is no page (RFC 9110 §15.3.7); curl leaves that to its caller',
  },
  {
    ...{ of: ['status: 226'], says: whole(226) },
    reason: 'nobody asked for a difference (RFC 3229 §10.4.1); curl leaves that to its caller',
  },
  {
    ...{ of: ['status: 304'], says: whole(304) },
    reason: 'nobody asked with a condition (RFC 9110 §15.4.5); curl leaves that to its caller',
  },
  {
    ...{ of: ['status: 408'], says: whole(408) },
    reason: 'the crawler counts it as a time-out (RFC 9110 §15.5.9); curl without --fail takes every status',
  },
  {
    ...{ of: ['cut: chunks, in the head, by a close'], where: { version: 'HTTP/1.1' }, says: 'exit 0, 200, 0 bytes' },
    reason: 'the head has no empty line at its end, so that it is incomplete (RFC 9112 §8); curl takes what came',
  },
  {
    of: [
      ...['an oversized frame', 'DATA on stream 0', 'SETTINGS of a length that is none', 'a field block that is none'],
      ...['CONTINUATION without HEADERS', 'bytes of HTTP/1.1 in the body', 'WINDOW_UPDATE of 0 on the connection'],
      ...['PUSH_PROMISE that nobody allowed'],
    ].map((name) => `HTTP/2: ${name}`),
    says: 'exit 0, 200, 0 bytes',
    reason:
      'no END_STREAM came, so that the body is incomplete (RFC 9113 §8.1); curl takes the end of a connection that it gave up for the end of the body',
  },
  {
    ...{ of: ['HTTP/2: ALTSVC that says nothing'], says: whole(200) },
    reason: 'an error of the connection to the library of Node; curl ignores every frame of this kind (RFC 7838 §4)',
  },
  {
    ...{ of: ['coding: gzip in two members', 'coding: gzip with zeros behind'], says: 'exit 23' },
    reason: 'gzip may have members and padding (RFC 1952 §2.2); curl reads one member and no byte more',
  },
  {
    ...{ of: ['coding: an unknown word', 'coding: gzip, not done'], says: 'exit 61' },
    reason:
      'the bytes are a plain page, which the crawler sees (RFC 9110 §8.4 lets clients decide); curl refuses the field',
  },
  {
    ...{ of: ['coding: gzip, cut', 'coding: deflate, cut'], says: whole(200) },
    reason: 'both keep what could be decoded; the crawler marks it as cut (RFC 1952 §2.3), curl does not say so',
  },
  {
    ...{ of: ['redirect: a body that is cut'], says: 'exit 18' },
    reason: 'Location came whole, and the crawler needs no more (RFC 9110 §15.4)',
  },
  {
    ...{ of: ['slow: a head that takes eight seconds'], says: whole(200) },
    reason: 'the crawls of this table have --first-byte 6s; curl has no limit for the head alone',
  },
  {
    ...{ of: ['connection: refused', 'connection: reset at once'], where: { through: ['http'], version: 'HTTP/1.1' } },
    says: 'exit 0, 502, 0 bytes',
    reason: 'the proxy answers 502 for the host, so that robots.txt is unreachable (RFC 9309 §2.3.1.4)',
  },
  {
    ...{ of: ['field: a field of 70 kB'], where: { version: 'HTTP/1.1' }, says: whole(200) },
    reason:
      'the crawler takes at most 64 kB of fields (RFC 9110 §5.4 lets clients set a limit), curl 300 kB; its HTTP/2 library takes 64 kB a field',
  },
  {
    ...{ of: ['field: 70 kB in 1,000 fields'], says: whole(200) },
    reason: 'the crawler takes at most 64 kB of fields (RFC 9110 §5.4 lets clients set a limit), curl 300 kB',
  },
  {
    of: ['size: 2 MiB and 100 bytes', 'size: 2 MiB and 100 bytes, in chunks', 'size: 2 MiB and 100 bytes, gzip'],
    says: whole(200),
    reason: 'the crawler keeps at most 2 MiB of a page (--max-body); curl has no limit',
  },
];
