/** Which front queues a host has. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FrontQueueList } from '../../../../topology/frontier/queues/front-queue-list.ts';

const listed = (list: FrontQueueList, host: number): number[] => {
  const numbers: number[] = [];
  for (let one = list.firstOf(host); one !== 0; one = list.nextOf(one)) {
    assert.deepEqual([list.hostOf(one), list.find(host, list.numberOf(one))], [host, one]);
    numbers.push(list.numberOf(one));
    assert.ok(numbers.length < 99, 'it ends');
  }
  return numbers;
};

describe('front queues of hosts', () => {
  it('front queues of hosts are found by number, in ascending order, in whatever order they came', () => {
    const list = new FrontQueueList();
    list.fitHost(2);
    for (const number of [3, 7, 0, 5, 16]) list.add(1, number);
    for (const number of [7, 8]) list.add(2, number);
    assert.deepEqual([listed(list, 0), listed(list, 1), listed(list, 2)], [[], [0, 3, 5, 7, 16], [7, 8]]);
    for (const none of [1, 4, 6, 17]) assert.equal(list.find(1, none), 0);
    assert.equal(list.find(0, 7), 0);
  });

  it('front queues of hosts can be removed anywhere, and their numbers are reused', () => {
    const list = new FrontQueueList();
    list.fitHost(1);
    const ones = [0, 3, 5, 7].map((number) => list.add(1, number));
    assert.deepEqual(ones, [1, 2, 3, 4]);
    list.remove(ones[1]!);
    assert.deepEqual(listed(list, 1), [0, 5, 7]);
    list.remove(ones[0]!);
    assert.deepEqual(listed(list, 1), [5, 7]);
    list.remove(ones[3]!);
    assert.deepEqual(listed(list, 1), [5]);
    assert.deepEqual([list.add(0, 9), list.add(1, 2), list.add(1, 9), list.add(1, 6)], [4, 1, 2, 5]);
    assert.deepEqual([listed(list, 0), listed(list, 1)], [[9], [2, 5, 6, 9]]);
    for (const number of [2, 5, 6, 9]) list.remove(list.find(1, number));
    assert.deepEqual(listed(list, 1), []);
  });
});
