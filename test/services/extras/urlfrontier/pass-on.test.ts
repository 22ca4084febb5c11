import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Peer } from '../../../../services/extras/urlfrontier/grpc-peer.ts';
import type { Peers } from '../../../../services/extras/urlfrontier/pass-on.ts';
import { passedOn } from '../../../../services/extras/urlfrontier/passed-methods.ts';
import { codecOf } from '../../../../services/extras/urlfrontier/wire.ts';
import type { Answers, Caller, Method } from '../../../../services/runtime/grpc/grpc-server.ts';

type Unary = Method & { readonly kind: 'unary' };
type Stream = Method & { readonly kind: 'stream' };
// biome-ignore lint/suspicious/noExplicitAny: requests and answers of any method
type Message = any;

const unaryMethods = {
  SetDelay: ['QueueDelayParams', 'Empty'],
  BlockQueueUntil: ['BlockQueueParams', 'Empty'],
  SetCrawlLimit: ['CrawlLimitParams', 'Empty'],
  DeleteQueue: ['QueueWithinCrawlParams', 'Long'],
  GetURLStatus: ['URLStatusRequest', 'URLItem'],
  DeleteCrawl: ['DeleteCrawlMessage', 'Long'],
  CountURLs: ['CountUrlParams', 'Long'],
  PurgeURLs: ['PurgeUrlParams', 'Long'],
  GetStats: ['QueueWithinCrawlParams', 'Stats'],
  ListCrawls: ['Local', 'StringList'],
  ListQueues: ['Pagination', 'QueueList'],
} as const;
type Name = keyof typeof unaryMethods;

interface Report {
  readonly by: string;
  readonly name: string;
  readonly request: Message;
}

interface Part {
  readonly name: string;
  /** What it answers a unary call with. */
  readonly answer?: Message;
  /** Answers to a stream, as URLs. */
  readonly gives?: (request: Message) => readonly Message[];
}

/**
 * Methods of this process beside other processes, all of which tell what they were asked. `owner`: of every queue;
 * undefined: this process.
 */
function served(here: Part, others: readonly Part[], owner?: string) {
  const reported: Report[] = [];
  const infos = (messages: readonly Message[]) => messages.map((one) => codecOf<Message>('URLInfo').encode(one));
  const peers = others.map((part): Peer & { place: string } => ({
    place: part.name,
    unary: async (name, bytes) => {
      const [request, answer] = unaryMethods[name as Name];
      reported.push({ by: part.name, name, request: codecOf<Message>(request).decode(bytes) });
      return codecOf<Message>(answer).encode(part.answer ?? {});
    },
    stream: async (name, bytes) => {
      const type = name === 'GetURLs' ? 'GetParams' : 'ListUrlParams';
      const request = codecOf<Message>(type).decode(bytes as Buffer);
      reported.push({ by: part.name, name, request });
      return infos(part.gives!(request));
    },
    close: () => {},
  }));
  const asked: unknown[] = [];
  const found: Peers = {
    ownerOf: async (crawlId, key) => {
      asked.push([crawlId, key]);
      return peers.find(({ place }) => place === owner);
    },
    others: async (crawlId) => {
      asked.push(crawlId);
      return peers;
    },
  };
  const own: Record<string, Method> = {};
  for (const [name, [request, answer]] of Object.entries(unaryMethods)) {
    own[name] = {
      kind: 'unary',
      request,
      answer,
      act: async (given) => {
        reported.push({ by: here.name, name, request: given });
        return here.answer;
      },
    };
  }
  for (const [name, request] of [
    ['GetURLs', 'GetParams'],
    ['ListURLs', 'ListUrlParams'],
  ] as const) {
    own[name] = {
      kind: 'stream',
      request,
      act: async (given: Message, answers: Answers) => {
        reported.push({ by: here.name, name, request: given });
        for (const one of infos(here.gives!(given))) {
          if (answers.isCancelled) return;
          await answers.write([one]);
        }
      },
    };
  }
  const methods = passedOn(found, own as never);
  const call = (name: Name, request: object, caller: Partial<Caller> = {}) => {
    const codec = codecOf<Message>(unaryMethods[name][0]);
    const given = codec.decode(codec.encode(request));
    return (methods[name] as Unary).act(given as never, {
      isLocal: false,
      gone: new AbortController().signal,
      ...caller,
    });
  };
  /** `most`: then the client is gone. */
  const stream = async (
    name: 'GetURLs' | 'ListURLs',
    request: object,
    isLocal = false,
    most = Number.POSITIVE_INFINITY,
  ) => {
    const codec = codecOf<Message>(name === 'GetURLs' ? 'GetParams' : 'ListUrlParams');
    const urls: string[] = [];
    await (methods[name] as Stream).act(codec.decode(codec.encode(request)) as never, {
      isLocal,
      get isCancelled() {
        return urls.length >= most;
      },
      write: async (messages) => {
        for (const message of messages) urls.push(codecOf<Message>('URLInfo').decode(message).url);
      },
    });
    return urls;
  };
  return { reported, asked, call, stream, by: () => reported.map((one) => one.by) };
}

test('an order on a queue goes to its owner only, unchanged', async () => {
  for (const [name, request] of [
    ['SetDelay', { key: 'a.com', crawlID: ' ', delay_requestable: 7 }],
    ['BlockQueueUntil', { key: 'a.com', crawlID: '', time: 7 }],
    ['SetCrawlLimit', { key: 'a.com', crawlID: '', limit: 7 }],
    ['DeleteQueue', { key: 'a.com', crawlID: '' }],
    ['GetURLStatus', { key: '', crawlID: '', url: 'http://A.com./x' }],
  ] as const) {
    const away = served({ name: 'here' }, [{ name: 'one' }, { name: 'two' }], 'two');
    await away.call(name, request);
    assert.deepEqual(away.by(), ['two'], name);
    assert.deepEqual(
      { ...away.reported[0]!.request },
      { ...codecOf<object>(unaryMethods[name][0]).decode(codecOf<object>(unaryMethods[name][0]).encode(request)) },
      name,
    );
    assert.deepEqual(away.asked, [['DEFAULT', 'a.com']], name);
    const own = served({ name: 'here' }, [{ name: 'one' }]);
    await own.call(name, { ...request, crawlID: 'x' });
    assert.deepEqual([own.by(), own.asked], [['here'], [['x', 'a.com']]], name);
    const passed = served({ name: 'here' }, [{ name: 'two' }], 'two');
    await passed.call(name, request, { isLocal: true });
    assert.deepEqual([passed.by(), passed.asked], [['here'], []], `${name}: what was passed on stays`);
  }
});

test('the answer of a queue’s owner is returned', async () => {
  const away = served({ name: 'here', answer: { value: 1 } }, [{ name: 'two', answer: { value: 41 } }], 'two');
  assert.equal(((await away.call('DeleteQueue', { key: 'a.com' })) as Message).value.toNumber(), 41);
});

test('a default for all queues, and an invalid URL, are handled by this process', async () => {
  const rig = served({ name: 'here' }, [{ name: 'two' }], 'two');
  await rig.call('SetDelay', { key: '', delay_requestable: 7 });
  await rig.call('GetURLStatus', { url: 'mailto:me@a.com' });
  assert.deepEqual([rig.by(), rig.asked], [['here', 'here'], []]);
});

test('counts of a crawl are summed over all its processes', async () => {
  for (const [name, request, crawl] of [
    ['DeleteCrawl', { value: '' }, 'DEFAULT'],
    ['CountURLs', { crawlID: 'x', key: '' }, 'x'],
    ['PurgeURLs', { crawlID: ' ', days: 3 }, 'DEFAULT'],
  ] as const) {
    const rig = served({ name: 'here', answer: { value: 1 } }, [
      { name: 'one', answer: { value: 20 } },
      { name: 'two', answer: { value: 300 } },
    ]);
    assert.deepEqual(await rig.call(name, request), { value: 321 }, name);
    assert.deepEqual([...rig.by()].sort(), ['here', 'one', 'two'], name);
    assert.deepEqual(rig.asked, [crawl], name);
    for (const { request: got } of rig.reported) assert.equal(Number(got.days ?? 3), 3);
    assert.deepEqual(await rig.call(name, request, { isLocal: true }), { value: 1 }, name);
    const alone = served({ name: 'here', answer: { value: 1 } }, []);
    assert.deepEqual(await alone.call(name, request), { value: 1 }, name);
  }
});

test('a client that asks for local data gets only local data', async () => {
  for (const [name, answer] of [
    ['DeleteCrawl', { value: 1 }],
    ['CountURLs', { value: 1 }],
    ['GetStats', { size: 1, inProcess: 0, counts: {}, numberOfQueues: 1, crawlID: 'x' }],
    ['ListCrawls', { values: ['x'] }],
    ['ListQueues', { values: ['a'], total: 1, start: 0, size: 1, crawlID: 'x' }],
  ] as const) {
    const rig = served({ name: 'here', answer }, [{ name: 'one', answer }]);
    assert.deepEqual(await rig.call(name, { local: true }), answer, name);
    assert.deepEqual([rig.by(), rig.asked], [['here'], []], name);
  }
});

test('statistics are summed, each count by its name', async () => {
  const of = (n: number, counts: Record<string, number>) => ({
    size: n,
    inProcess: 2 * n,
    numberOfQueues: 3 * n,
    counts,
    crawlID: 'x',
  });
  const rig = served({ name: 'here', answer: of(1, { completed: 4, active_queues: 5 }) }, [
    { name: 'one', answer: of(10, { completed: 40, other: 6 }) },
  ]);
  assert.deepEqual(await rig.call('GetStats', { crawlID: 'x' }), {
    ...of(11, { completed: 44, active_queues: 5, other: 6 }),
  });
});

test('each crawl is listed once', async () => {
  const rig = served({ name: 'here', answer: { values: ['a', 'b'] } }, [
    { name: 'one', answer: { values: ['b', 'c'] } },
  ]);
  assert.deepEqual(await rig.call('ListCrawls', {}), { values: ['a', 'b', 'c'] });
  assert.deepEqual(rig.asked, [undefined], 'of any crawl');
});

test('a page of queues is cut from the queues of all processes', async () => {
  const of = (...values: string[]) => ({
    values,
    total: values.length + 10,
    start: 0,
    size: values.length,
    crawlID: 'x',
  });
  const rig = served({ name: 'here', answer: of('a', 'b', 'c') }, [{ name: 'one', answer: of('d', 'e', 'f') }]);
  assert.deepEqual(await rig.call('ListQueues', { start: 2, size: 3, crawlID: ' ' }), {
    values: ['c', 'd', 'e'],
    total: 26,
    start: 2,
    size: 3,
    crawlID: 'DEFAULT',
  });
  for (const { request } of rig.reported)
    assert.deepEqual([request.start, request.size], [0, 5], 'each gives all that may be of it');
  await rig.call('ListQueues', { start: 7 });
  assert.equal(rig.reported.at(-1)!.request.size, 107, 'a hundred where no size is given');
});

const urls = (...names: string[]) => names.map((url) => ({ url, key: url[0]! }));

test('a list of URLs continues over other processes, from its page’s start to its end', async () => {
  const parts = () =>
    served({ name: 'here', gives: () => urls('a1', 'a2', 'a3') }, [
      { name: 'one', gives: () => urls('b1', 'b2') },
      { name: 'two', gives: () => urls('c1', 'c2') },
    ]);
  const page = async (start: number, size: number) => {
    const rig = parts();
    const got = await rig.stream('ListURLs', { start, size });
    for (const { request } of rig.reported) assert.deepEqual([request.start, request.size], [0, start + (size || 100)]);
    return [got.join(' '), rig.by().join(' ')];
  };
  assert.deepEqual(await page(0, 2), ['a1 a2', 'here']);
  assert.deepEqual(await page(0, 3), ['a1 a2 a3', 'here']);
  assert.deepEqual(await page(0, 4), ['a1 a2 a3 b1', 'here one']);
  assert.deepEqual(await page(2, 2), ['a3 b1', 'here one']);
  assert.deepEqual(await page(3, 1), ['b1', 'here one']);
  assert.deepEqual(await page(4, 9), ['b2 c1 c2', 'here one two']);
  assert.deepEqual(await page(6, 0), ['c2', 'here one two']);
  const rig = parts();
  assert.deepEqual(await rig.stream('ListURLs', { start: 0, size: 9, crawlID: 'x' }, true), ['a1', 'a2', 'a3']);
  assert.deepEqual([rig.by(), rig.asked], [['here'], []], 'passed on already');
  assert.deepEqual(await rig.stream('ListURLs', { size: 9, local: true }), ['a1', 'a2', 'a3']);
});

test('a get for one queue goes to its owner; for any crawl or queue, first to this process', async () => {
  const parts = (owner?: string) =>
    served(
      { name: 'here', gives: () => urls('a1', 'b1', 'b2') },
      [
        { name: 'one', gives: () => urls('c1') },
        { name: 'two', gives: () => urls('d1') },
      ],
      owner,
    );
  const away = parts('two');
  assert.deepEqual(await away.stream('GetURLs', { key: 'd', crawlID: '', max_urls_per_queue: 5 }), ['d1']);
  assert.deepEqual(away.asked, [['DEFAULT', 'd']]);
  assert.equal(away.reported[0]!.request.max_urls_per_queue, 5);
  const own = parts();
  assert.deepEqual(await own.stream('GetURLs', { key: 'a', crawlID: 'x' }), ['a1', 'b1', 'b2']);
  assert.deepEqual(own.asked, [['x', 'a']]);
  const anyCrawl = parts('two');
  assert.deepEqual(await anyCrawl.stream('GetURLs', { key: 'd' }), ['a1', 'b1', 'b2', 'c1', 'd1']);
  assert.deepEqual(anyCrawl.asked, [undefined]);
  const local = parts('two');
  assert.deepEqual(await local.stream('GetURLs', { key: 'd', crawlID: '' }, true), ['a1', 'b1', 'b2']);
  assert.deepEqual([local.by(), local.asked], [['here'], []]);
});

test('other processes are asked for the missing queues only, and not at all once there are enough', async () => {
  const asked = async (max_queues: number) => {
    const rig = served({ name: 'here', gives: () => urls('a1', 'b1', 'b2') }, [
      { name: 'one', gives: () => urls('c1') },
      { name: 'two', gives: () => urls('d1') },
    ]);
    await rig.stream('GetURLs', { max_queues });
    return rig.reported.map(({ by, request }) => `${by} ${request.max_queues}`);
  };
  assert.deepEqual(await asked(0), ['here 0', 'one 0', 'two 0']);
  assert.deepEqual(await asked(2), ['here 2']);
  assert.deepEqual(await asked(3), ['here 3', 'one 1']);
  assert.deepEqual(await asked(4), ['here 4', 'one 2', 'two 1']);
});

test('nothing more is leased for a client that has gone, here or elsewhere', async () => {
  const parts = () =>
    served({ name: 'here', gives: () => urls('a1', 'b1') }, [
      { name: 'one', gives: () => urls('c1') },
      { name: 'two', gives: () => urls('d1') },
    ]);
  for (const name of ['GetURLs', 'ListURLs'] as const) {
    const early = parts();
    assert.deepEqual(await early.stream(name, {}, false, 1), ['a1'], name);
    assert.deepEqual(early.by(), ['here'], name);
    const later = parts();
    assert.deepEqual(await later.stream(name, {}, false, 3), ['a1', 'b1', 'c1'], name);
    assert.deepEqual(later.by(), ['here', 'one'], name);
  }
});
