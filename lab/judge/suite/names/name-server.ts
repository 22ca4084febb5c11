/**
 * A name server over UDP (RFC 1035 §4): it answers for all names of the suite, and nothing else.
 *
 * A separate thread has the socket: the system keeps only some hundred unread queries, and drops the others. So a
 * query waits while the event loop is busy, and is not lost.
 */
import { isIPv6 } from 'node:net';
import { startThread } from '../../../../services/runtime/loop/start-thread.ts';
import type { Datagram, ThreadMessage } from './name-server-thread.ts';

export interface Question {
  /** Lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
}

export const recordTypes = { A: 1, CNAME: 5, AAAA: 28 } as const;
export const responseCodes = { ok: 0, noSuchName: 3, refused: 5 } as const;

export interface NameAnswer {
  readonly code?: number;
  /** Of the type that was asked for. */
  readonly addresses?: readonly string[];
  /** The name is an alias of this one, which has the addresses. */
  readonly alias?: string;
  readonly ttlSeconds?: number;
}

export interface NameServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startNameServer(
  { address, port }: { readonly address: string; readonly port: number },
  answerTo: (question: Question) => NameAnswer,
): Promise<NameServer> {
  const thread = startThread(threadUrl, { workerData: { address, port } });
  const answer = ({ bytes, ...peer }: Datagram) => {
    const message = Buffer.from(bytes);
    const asked = questionOf(message);
    if (asked === null) return;
    const response: Datagram = { bytes: responseTo(message, asked, answerTo(asked)), ...peer };
    thread.postMessage(response);
  };
  const bound = await new Promise<number>((resolve, reject) => {
    thread.once('error', reject).on('message', (message: ThreadMessage) => {
      if ('bytes' in message) answer(message);
      else if ('code' in message) reject(Object.assign(new Error(message.text), { code: message.code }));
      else resolve(message.bound);
    });
  }).catch(async (error: unknown) => {
    await thread.terminate();
    throw error;
  });
  return { port: bound, close: async () => void (await thread.terminate()) };
}

const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const threadUrl = new URL(`./name-server-thread.${ending}`, import.meta.url);

interface Asked extends Question {
  /** End of the question in the message. */
  readonly end: number;
}

const headBytes = 12;

function questionOf(message: Buffer): Asked | null {
  if (message.length < headBytes + 5 || message.readUInt16BE(4) !== 1) return null;
  const labels: string[] = [];
  let at = headBytes;
  for (let size = message[at]!; size > 0; size = message[at]!) {
    if (size > 63 || at + 1 + size >= message.length) return null;
    labels.push(message.toString('latin1', at + 1, at + 1 + size).toLowerCase());
    at += 1 + size;
  }
  if (at + 5 > message.length) return null;
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function responseTo(message: Buffer, { type, end }: Asked, answer: NameAnswer): Buffer {
  const { code = responseCodes.ok, addresses = [], alias, ttlSeconds = 60 } = answer;
  const owner = alias === undefined ? toQuestion : encoded(alias);
  const records = [
    ...(alias === undefined ? [] : [record(toQuestion, recordTypes.CNAME, ttlSeconds, owner)]),
    ...addresses.map((one) => record(owner, type, ttlSeconds, bytesOf(one))),
  ];
  const head = Buffer.alloc(headBytes);
  message.copy(head, 0, 0, 2);
  // QR, AA, RD, RA.
  head.writeUInt16BE(0x8580 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, message.subarray(headBytes, end), ...records]);
}

/** A pointer to the name of the question (§4.1.4). */
const toQuestion = Buffer.of(0xc0, headBytes);

function record(owner: Buffer, type: number, ttlSeconds: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt32BE(ttlSeconds, 4);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fields, data]);
}

function encoded(name: string): Buffer {
  const labels = name.split('.').flatMap((label) => [Buffer.of(label.length), Buffer.from(label, 'latin1')]);
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [front, back = []] = address.split('::').map((half) => half.split(':').flatMap(groupOf)) as [
    number[],
    number[]?,
  ];
  const groups = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

/** The 16-bit groups of a part between colons: none if it is empty, two if it is dotted. */
function groupOf(part: string): number[] {
  if (part === '') return [];
  if (!part.includes('.')) return [Number.parseInt(part, 16)];
  const [a, b, c, d] = part.split('.').map(Number) as [number, number, number, number];
  return [(a << 8) | b, (c << 8) | d];
}
