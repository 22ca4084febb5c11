import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { consumersHeapMb, workerHeapMb } from '../../../services/application/workers/worker-heap.ts';
import { heapSizeMb } from '../../../services/planning/heap-size.ts';

describe('the heap of a process in a container', () => {
  it('the heap of a process in a container leaves a frontier room for its fingerprints, its warm copies and its stores', () => {
    const alone = heapSizeMb({ role: 'frontier', limitMb: 4096, seenMemoryMb: 1024, standbys: 0 });
    const withCopies = heapSizeMb({ role: 'frontier', limitMb: 4096, seenMemoryMb: 1024, standbys: 1 });
    assert.equal(alone - withCopies, 1024);
    assert.ok(withCopies > 1000 && withCopies + 2 * 1024 + 305 + 150 < 4096, `${withCopies}`);
  });

  it('the heap of a process in a container leaves a fetcher room for the bodies in flight', () => {
    const few = heapSizeMb({ role: 'fetcher', limitMb: 1536, concurrency: 100 });
    const many = heapSizeMb({ role: 'fetcher', limitMb: 1536, concurrency: 3000 });
    assert.ok(few > many && many > 800 && many + 360 + 150 < 1536, `${few}, ${many}`);
  });

  it('the heap of a process in a container leaves a crawl with workers room for their heaps', () => {
    const wish = { role: 'crawl', limitMb: 8192, seenMemoryMb: 256, concurrency: 1000 };
    const one = heapSizeMb({ ...wish, workers: 1 });
    assert.equal(heapSizeMb(wish), one);
    // Half the limit is shared out among the workers and the crawl's own process.
    const three = heapSizeMb({ ...wish, workers: 3 });
    assert.ok(three > 2048 && three + 3 * 1024 < 8192 && one - three > 3 * 1024, `${one}, ${three}`);
    // The process of consumers takes a share as a fourth worker would.
    assert.equal(heapSizeMb({ ...wish, workers: 3, consumers: true }), heapSizeMb({ ...wish, workers: 4 }));
    assert.equal(heapSizeMb({ ...wish, workers: 1, consumers: true }), one);
    assert.equal(consumersHeapMb(4, 4096), workerHeapMb(4, 4096));
    assert.deepEqual(
      [workerHeapMb(3), workerHeapMb(3, 8192), workerHeapMb(3, 4096), workerHeapMb(15, 4096)],
      [1024, 1024, 512, 256],
    );
  });

  it('the heap of a process in a container leaves half of a fleet for stores, queues, newest records and parsers', () => {
    const heap = heapSizeMb({ role: 'fleet', limitMb: 2048 });
    assert.ok(heap > 512 && heap + 1024 + 170 < 2048, `${heap}`);
  });

  it('the heap of a process in a container stays below the limit of a small Job, which V8 alone would exceed', () => {
    const heap = heapSizeMb({ role: 'create', limitMb: 256 });
    assert.ok(heap >= 64 && heap <= 128, `${heap}`);
  });

  it('the heap of a process in a container never falls below a quarter of the limit, and grows with it', () => {
    assert.equal(heapSizeMb({ role: 'frontier', limitMb: 1024, seenMemoryMb: 8192 }), 256);
    let last = 0;
    for (let limitMb = 256; limitMb <= 65_536; limitMb *= 2) {
      const heap = heapSizeMb({ role: 'frontier', limitMb, seenMemoryMb: 1024, standbys: 1 });
      assert.ok(heap > last && heap < limitMb);
      last = heap;
    }
  });
});
