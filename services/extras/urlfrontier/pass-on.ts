/**
 * Passes calls on to the processes that own the data: a call about a queue goes to the owner of its partition, one
 * about a crawl to all, and their answers are merged. A call that was passed on is not passed on again.
 */

import { type Answers, CallFailed, type Method } from '../../runtime/grpc/grpc-server.ts';
import type { Peer } from './grpc-peer.ts';
import { codecOf, type UrlInfo } from './wire.ts';

/** The other processes; none if this is the only one. */
export interface Peers {
  /** The owner of a queue's partition; undefined: this process. Rejects if it has no owner at the moment. */
  ownerOf(crawlId: string, key: string): Promise<Peer | undefined>;
  /** All other processes with partitions of a crawl; without an id, of any crawl. */
  others(crawlId?: string): Promise<readonly Peer[]>;
}

const infoCodec = codecOf<UrlInfo>('URLInfo');

type Unary = Method & { readonly kind: 'unary' };
type Stream = Method & { readonly kind: 'stream' };

/** Passes a request on to the owner of the queue that it is about. */
export function toOwner<Request>(
  peers: Peers,
  name: string,
  method: Unary,
  queueOf: (request: Request) => { readonly crawlId: string; readonly key: string } | null,
): Unary {
  return {
    ...method,
    act: async (request, caller) => {
      const queue = caller.isLocal ? null : queueOf(request as Request);
      const owner = queue === null ? undefined : await peers.ownerOf(queue.crawlId, queue.key);
      if (owner === undefined) return method.act(request, caller);
      return codecOf(method.answer).decode(await owner.unary(name, codecOf(method.request).encode(request)));
    },
  };
}

/** Sends a call to all processes with a part of the answer. `asked`: the request for the others, if different. */
export function toAll<Request, Answer>(
  peers: Peers,
  name: string,
  method: Unary,
  crawlOf: (request: Request) => string | undefined,
  together: (answers: readonly Answer[], request: Request) => Answer,
  asked: (request: Request) => Request = (request) => request,
): Unary {
  return {
    ...method,
    act: async (given, caller) => {
      const request = given as Request;
      if (caller.isLocal || (request as { local?: boolean }).local === true) return method.act(given, caller);
      const others = await peers.others(crawlOf(request));
      if (others.length === 0) return method.act(given, caller);
      const codec = codecOf<Request>(method.request);
      const bytes = codec.encode(asked(request));
      const answers = await Promise.all([
        method.act(codec.decode(bytes) as never, caller) as Promise<Answer>,
        ...others.map(async (peer) => codecOf<Answer>(method.answer).decode(await peer.unary(name, bytes))),
      ]);
      return together(answers, request);
    },
  };
}

/**
 * Returns this process's answers first, then those of others. `split`: the question for each, and the part of its
 * answer to return.
 */
export function streamFromAll<Request>(
  peers: Peers,
  name: string,
  method: Stream,
  crawlOf: (request: Request) => string | undefined,
  split: (request: Request) => { readonly asked: Request; readonly skip: number; readonly most: number },
): Stream {
  return {
    ...method,
    act: async (given, answers) => {
      const request = given as Request;
      const others =
        answers.isLocal || (request as { local?: boolean }).local === true ? [] : await peers.others(crawlOf(request));
      if (others.length === 0) return method.act(given, answers);
      const { asked, skip, most } = split(request);
      let [toSkip, left] = [skip, most];
      const pass = async (messages: readonly Uint8Array[]) => {
        const kept = messages.slice(toSkip, toSkip + left);
        toSkip = Math.max(0, toSkip - messages.length);
        left -= kept.length;
        await answers.write(kept);
      };
      const codec = codecOf<Request>(method.request);
      const bytes = codec.encode(asked);
      await method.act(codec.decode(bytes) as never, throughTo(answers, pass));
      for (const peer of others) {
        if (left <= 0 || answers.isCancelled) return;
        await pass(await peer.stream(name, bytes));
      }
    },
  };
}

/**
 * Answers a get of one queue by its owner. A get of any queue is answered here first; other processes supply the rest.
 */
export function getFromAll<Request>(
  peers: Peers,
  method: Stream,
  queueOf: (request: Request) => { readonly crawlId: string | undefined; readonly key: string },
  /** Request to the next process, after this many queues. */
  rest: (request: Request, queues: number) => Request | null,
): Stream {
  return {
    ...method,
    act: async (given, answers) => {
      const request = given as Request;
      if (answers.isLocal) return method.act(given, answers);
      const { crawlId, key } = queueOf(request);
      const codec = codecOf<Request>(method.request);
      if (key !== '' && crawlId !== undefined) {
        const owner = await peers.ownerOf(crawlId, key);
        if (owner === undefined) return method.act(given, answers);
        return answers.write(await owner.stream('GetURLs', codec.encode(request)));
      }
      const others = await peers.others(crawlId);
      if (others.length === 0) return method.act(given, answers);
      const queues = new Set<string>();
      const count = (messages: readonly Uint8Array[]) => {
        for (const message of messages) {
          const { key, crawlID } = infoCodec.decode(message);
          queues.add(`${crawlID}\n${key}`);
        }
      };
      const give = async (messages: readonly Uint8Array[]) => {
        count(messages);
        await answers.write(messages);
      };
      await method.act(given, throughTo(answers, give));
      for (const peer of others) {
        const more = rest(request, queues.size);
        // URLs for a client that has gone would be leased without a client.
        if (more === null || answers.isCancelled) return;
        await give(await peer.stream('GetURLs', codec.encode(more)));
      }
    },
  };
}

/** This process's part of the answers: it stops, too, when the client has gone. */
function throughTo(answers: Answers, write: Answers['write']): Answers {
  return {
    isLocal: true,
    get isCancelled() {
      return answers.isCancelled;
    },
    write,
  };
}

export const alone: Peers = {
  ownerOf: async () => undefined,
  others: async () => [],
};

export function nobody(partition: number): CallFailed {
  return new CallFailed('UNAVAILABLE', `partition ${partition} is moving to another process: retry in a moment`);
}
