/**
 * Puts: streams of items, collected for a commit and acked when it is durable.
 *
 * Items that arrive together are decided together; many streams share a commit, and its one sync. A stream with more
 * unacked items or bytes than its share waits (`putsUnderWay`, `bytesUnderWay`). So does any stream beyond its first
 * few bytes if all streams together have too many (`CallRoom`). So a client that sends faster than a disk writes, or
 * reads no acks, is slowed down, and nothing piles up here. An item that can never be put is skipped, with the
 * reason; it must not be sent again. A failed item may be sent again: a moving partition may or may not have taken
 * it, and a URL that was taken is then skipped. An unreadable message ends its stream, once the earlier ones are
 * acked.
 */

import { type PutItem, putStatuses } from '../../../topology/frontier/decide/pull/calls.ts';
import { pullLimits } from '../../../topology/frontier/pull/pull-limits.ts';
import { type Answers, CallFailed, type Method, type Requests } from '../../runtime/grpc/grpc-server.ts';
import { checkUrl } from './check-url.ts';
import { countFields } from './count-fields.ts';
import { itemId } from './item-id.ts';
import { clientsOwn, frontQueueOf, packMetadata } from './metadata.ts';
import { readable } from './metadata-shape.ts';
import { putLimits } from './put-limits.ts';
import { dateEntry, msOf } from './refetch-date.ts';
import type { Router } from './router.ts';
import { crawlIdOf } from './served-crawl.ts';
import {
  type Ack,
  type BatchAck,
  codecOf,
  type DiscoveredBatch,
  type UrlInfo,
  type UrlItem,
  type Whole,
} from './wire.ts';

/** One item, and what became of it. */
export interface Placed {
  readonly crawlId: string;
  /** null: it can never be put. */
  readonly item: PutItem | null;
  status: number;
  reason: string;
}

/** Puts items of any crawls and queues. Never rejects: errors are reported in the items. */
export type PutAll = (items: readonly Placed[], isLocal: boolean) => Promise<void>;

export function putMethods(router: Router): Readonly<Record<'PutURLs' | 'PutDiscovered', Method>> {
  const { putAll } = router;
  return {
    PutURLs: { kind: 'duplex', act: (requests, answers) => putUrls(putAll, requests, answers) },
    PutDiscovered: { kind: 'duplex', act: (requests, answers) => putDiscovered(putAll, requests, answers) },
  };
}

const itemCodec = codecOf<UrlItem>('URLItem');
const ackCodec = codecOf<Ack>('AckMessage');
const batchCodec = codecOf<DiscoveredBatch>('DiscoveredBatch');
const batchAckCodec = codecOf<BatchAck>('BatchAck');

function putUrls(putAll: PutAll, requests: Requests, answers: Answers): Promise<void> {
  return gather(requests, answers, {
    read: (bytes) => {
      if (bytes.length > putLimits.itemBytesMax) {
        const reason = `the item has ${bytes.length} bytes; at most ${putLimits.itemBytesMax} are allowed`;
        return { id: itemId(bytes), placed: [refused('', reason)] };
      }
      const { discovered, known, ID } = itemCodec.decode(bytes);
      const info = (known ?? discovered)?.info ?? null;
      return { id: ID || (info?.url ?? ''), placed: [placed(info, known?.refetchable_from_date)] };
    },
    put: (items) => putAll(items, answers.isLocal),
    answer: ({ id, placed: [one] }) => {
      const { status, reason } = one!;
      return ackCodec.encode(reason === '' ? { ID: id, status } : { ID: id, status, reason });
    },
  });
}

const itemsField = 2;

function putDiscovered(putAll: PutAll, requests: Requests, answers: Answers): Promise<void> {
  return gather(requests, answers, {
    read: (bytes) => {
      const most = putLimits.messageFieldsMax;
      if (countFields(bytes, most, itemsField) > most) {
        throw new Error(`a batch has more than ${most} fields in its items: send smaller batches`);
      }
      const { ID, items } = batchCodec.decode(bytes);
      return { id: ID, placed: items.map((info) => placed(info)) };
    },
    put: (items) => putAll(items, answers.isLocal),
    answer: ({ id, placed: all }) => {
      const statuses = all.map(({ status }) => status);
      const isExplained = all.some(({ reason }) => reason !== '');
      return batchAckCodec.encode(
        isExplained ? { ID: id, statuses, reasons: all.map(({ reason }) => reason) } : { ID: id, statuses },
      );
    },
  });
}

/** The content of one request. */
interface Asked {
  readonly id: string;
  readonly placed: readonly Placed[];
}

interface Gathered {
  readonly asked: Asked;
  /** Bytes of the message. */
  readonly bytes: number;
}

function roomOf(batch: readonly Gathered[]): number {
  return batch.reduce((sum, { asked, bytes }) => sum + bytes + putLimits.itemOverheadBytes * asked.placed.length, 0);
}

interface Stream {
  read(bytes: Uint8Array): Asked;
  put(items: readonly Placed[]): Promise<void>;
  answer(asked: Asked): Uint8Array;
}

/** Resolves when the client has ended its stream and every request was answered; rejects with what cannot be read. */
function gather(requests: Requests, answers: Answers, stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    new Gathering(requests, answers, stream, resolve, reject).begin();
  });
}

/** The items of one stream: gathered until the end of the event loop's turn, then put together and acked in order. */
class Gathering {
  readonly #requests: Requests;
  readonly #answers: Answers;
  readonly #stream: Stream;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  #gathered: Gathered[] = [];
  #itemsUnderWay = 0;
  #bytesUnderWay = 0;
  /** Nothing more is read. */
  #isEnded = false;
  /** A flush will follow. */
  #isDue = false;
  #answered: Promise<void> = Promise.resolve();

  constructor(
    requests: Requests,
    answers: Answers,
    stream: Stream,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#requests = requests;
    this.#answers = answers;
    this.#stream = stream;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    this.#requests.onRequest((bytes) => this.#take(bytes));
    this.#requests.onEnd(() => {
      if (!this.#isEnded) this.#end(() => this.#answered.then(this.#resolve, this.#reject));
    });
  }

  #take(bytes: Uint8Array): void {
    if (this.#isEnded) return;
    let asked: Asked;
    try {
      asked = this.#stream.read(bytes);
    } catch (error) {
      const why = `the message cannot be read: ${(error as Error).message}`;
      return this.#refuse(new CallFailed('INVALID_ARGUMENT', why));
    }
    const { room } = this.#requests;
    const one: Gathered = { asked, bytes: bytes.length };
    if (!room.take(roomOf([one]))) {
      const why = 'the server is busy with other items: send this item again later';
      return this.#refuse(new CallFailed('RESOURCE_EXHAUSTED', why));
    }
    this.#gathered.push(one);
    this.#itemsUnderWay += asked.placed.length;
    this.#bytesUnderWay += bytes.length;
    if (this.#isFull()) {
      this.#requests.pause();
      if (room.isFull) room.wait(this.#goOn);
    }
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#isDue && this.#flush());
  }

  /** Ends the stream with a failure, once the earlier items are acked. */
  #refuse(failure: CallFailed): void {
    this.#end(() => this.#answered.then(() => this.#reject(failure), this.#reject));
  }

  #isFull(): boolean {
    return (
      this.#itemsUnderWay >= pullLimits.putsUnderWay ||
      this.#bytesUnderWay >= putLimits.bytesUnderWay ||
      (this.#bytesUnderWay >= putLimits.bytesFree && this.#requests.room.isFull)
    );
  }

  /** A field, because the room knows who waits by it. */
  readonly #goOn = (): void => {
    if (!this.#isFull()) return this.#requests.resume();
    const { room } = this.#requests;
    if (room.isFull) room.wait(this.#goOn);
  };

  #flush(): void {
    this.#isDue = false;
    const batch = this.#gathered;
    this.#gathered = [];
    const items = batch.flatMap(({ asked }) => asked.placed);
    this.#answered = this.#acked(batch, this.#stream.put(items), this.#answered).then(async (acks) => {
      await this.#answers.write(acks);
      this.#itemsUnderWay -= items.length;
      this.#bytesUnderWay -= batch.reduce((sum, one) => sum + one.bytes, 0);
      this.#goOn();
    });
    this.#answered.catch((error) => this.#end(() => this.#reject(error)));
  }

  async #acked(batch: readonly Gathered[], put: Promise<void>, before: Promise<void>): Promise<Uint8Array[]> {
    try {
      await put;
      // Acks go out in the order of the items, whichever partition answers first.
      await before;
      return batch.map(({ asked }) => this.#stream.answer(asked));
    } finally {
      this.#requests.room.release(roomOf(batch));
    }
  }

  #end(act: () => void): void {
    this.#isEnded = true;
    this.#requests.room.forget(this.#goOn);
    if (this.#isDue) this.#flush();
    act();
  }
}

/** `date`: of a known URL; 0: never again. */
function placed(info: UrlInfo | null, date?: Whole): Placed {
  const { url = '', key: given = '', crawlID = '', metadata = [] } = info ?? {};
  if (Buffer.byteLength(crawlID) > pullLimits.keyBytesMax) {
    return refused('', `the crawl id is longer than ${pullLimits.keyBytesMax} bytes`);
  }
  const crawlId = crawlIdOf(crawlID);
  const checked = checkUrl(url, given);
  if (!checked.ok) return refused(crawlId, checked.reason);
  const entries: Uint8Array[] = [];
  for (const entry of clientsOwn(metadata)) {
    const whole = readable(entry);
    if (whole === null) return refused(crawlId, 'a metadata entry is not a key with a list of UTF-8 strings');
    entries.push(whole);
  }
  const dueAtMs = date === undefined ? 0 : msOf(date);
  if (dueAtMs > 0) entries.push(dateEntry(date!));
  const packed = packMetadata(entries);
  if (packed.length > pullLimits.metadataBytesMax) {
    return refused(
      crawlId,
      `the metadata has ${packed.length} bytes; at most ${pullLimits.metadataBytesMax} are allowed`,
    );
  }
  const known = date !== undefined;
  const item = { known, key: checked.key, url, metadata: packed, dueAtMs, frontQueue: frontQueueOf(entries) };
  return { crawlId, item, status: putStatuses.ok, reason: '' };
}

function refused(crawlId: string, reason: string): Placed {
  return { crawlId, item: null, status: putStatuses.skipped, reason };
}
