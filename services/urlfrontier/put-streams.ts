/**
 * Puts: streams of items, gathered for a commit and acked when it is durable.
 *
 * What arrives together is decided together; many streams share a commit, and its one sync. A stream with more items
 * under way than its share waits (`putsUnderWay`), so that a client that sends faster than a disk writes is slowed down,
 * and nothing piles up here. What cannot be put fails at once, with the reason; what a partition that moves may or may
 * not have taken fails too: a client puts it again, and a URL that was taken is skipped.
 */

import { type PutItem, putStatuses } from '../../topology/frontier/decide/pull/calls.ts';
import { pullLimits } from '../../topology/limits.ts';
import { checkUrl } from './check-url.ts';
import type { Answers, Method, Requests } from './grpc-server.ts';
import { bandOf, packMetadata } from './metadata.ts';
import type { Router } from './router.ts';
import { crawlIdOf } from './served-crawl.ts';
import {
  type Ack,
  type BatchAck,
  codecOf,
  type DiscoveredBatch,
  numberOf,
  type UrlInfo,
  type UrlItem,
} from './wire.ts';

/** One item, and what became of it. */
export interface Placed {
  readonly crawlId: string;
  /** null: it cannot be put. */
  readonly item: PutItem | null;
  status: number;
  reason: string;
}

/** Puts items of any crawls and queues. Never rejects: what goes wrong is in the items. */
export type PutAll = (items: readonly Placed[], isLocal: boolean) => Promise<void>;

export function putMethods(router: Router): Readonly<Record<'PutURLs' | 'PutDiscovered', Method>> {
  return {
    PutURLs: { kind: 'duplex', act: (requests, answers) => putUrls(router.putAll, requests, answers) },
    PutDiscovered: { kind: 'duplex', act: (requests, answers) => putDiscovered(router.putAll, requests, answers) },
  };
}

const itemCodec = codecOf<UrlItem>('URLItem');
const ackCodec = codecOf<Ack>('AckMessage');
const batchCodec = codecOf<DiscoveredBatch>('DiscoveredBatch');
const batchAckCodec = codecOf<BatchAck>('BatchAck');

function putUrls(putAll: PutAll, requests: Requests, answers: Answers): Promise<void> {
  return gather(requests, answers, {
    read: (bytes) => {
      const { discovered, known, ID } = itemCodec.decode(bytes);
      const info = (known ?? discovered)?.info ?? null;
      const dueAtMs = known === null ? 0 : 1000 * numberOf(known.refetchable_from_date);
      return { id: ID || (info?.url ?? ''), placed: [placed(info, known !== null, dueAtMs)] };
    },
    put: (items) => putAll(items, answers.isLocal),
    answer: ({ id, placed: [one] }) => {
      const { status, reason } = one!;
      return ackCodec.encode(reason === '' ? { ID: id, status } : { ID: id, status, reason });
    },
  });
}

function putDiscovered(putAll: PutAll, requests: Requests, answers: Answers): Promise<void> {
  return gather(requests, answers, {
    read: (bytes) => {
      const { ID, items } = batchCodec.decode(bytes);
      return { id: ID, placed: items.map((info) => placed(info, false, 0)) };
    },
    put: (items) => putAll(items, answers.isLocal),
    answer: ({ id, placed: all }) => {
      const statuses = all.map(({ status }) => status);
      const failed = all.some(({ reason }) => reason !== '');
      return batchAckCodec.encode(
        failed ? { ID: id, statuses, reasons: all.map(({ reason }) => reason) } : { ID: id, statuses },
      );
    },
  });
}

/** What one request asks for. */
interface Asked {
  readonly id: string;
  readonly placed: readonly Placed[];
}

interface Stream {
  read(bytes: Uint8Array): Asked;
  put(items: readonly Placed[]): Promise<void>;
  answer(asked: Asked): Uint8Array;
}

/** Resolves when the client has ended its stream and every request was answered. */
function gather(requests: Requests, answers: Answers, stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    let gathered: Asked[] = [];
    let [underWay, isEnded, isDue] = [0, false, false];
    let answered: Promise<void> = Promise.resolve();
    const flush = () => {
      isDue = false;
      const batch = gathered;
      gathered = [];
      const items = batch.flatMap(({ placed: all }) => all);
      const put = stream.put(items);
      // In the order they came, whatever partition is first.
      answered = answered.then(async () => {
        await put;
        await answers.write(batch.map(stream.answer));
        underWay -= items.length;
        if (underWay < pullLimits.putsUnderWay) requests.resume();
      });
      answered.catch(reject);
    };
    requests.onRequest((bytes) => {
      const asked = stream.read(bytes);
      gathered.push(asked);
      underWay += asked.placed.length;
      if (underWay >= pullLimits.putsUnderWay) requests.pause();
      if (isDue) return;
      isDue = true;
      setImmediate(flush);
    });
    requests.onEnd(() => {
      if (isEnded) return;
      isEnded = true;
      if (isDue) flush();
      answered.then(resolve, reject);
    });
  });
}

function placed(info: UrlInfo | null, known: boolean, dueAtMs: number): Placed {
  const { url = '', key: given = '', crawlID = '', metadata = [] } = info ?? {};
  const crawlId = crawlIdOf(crawlID);
  const checked = checkUrl(url, given);
  if (!checked.ok) return failed(crawlId, checked.reason);
  const packed = packMetadata(metadata);
  if (packed.length > pullLimits.metadataBytesMax) {
    return failed(crawlId, `the metadata has ${packed.length} bytes, and may have ${pullLimits.metadataBytesMax}`);
  }
  const item = { known, key: checked.key, url, metadata: packed, dueAtMs, band: bandOf(metadata) };
  return { crawlId, item, status: putStatuses.ok, reason: '' };
}

function failed(crawlId: string, reason: string): Placed {
  return { crawlId, item: null, status: putStatuses.fail, reason };
}
