/**
 * Queues with numbers after the front queues. They hold admitted URLs that are deferred, each kind in separate
 * queues, so that holding them costs nothing and releasing them moves no URL.
 *
 *   0 … 7    front queues (url/front-queue.ts)
 *   8        over the host's budget
 *   16 … 47  one for each trap of the host; a released trap's queue is drawn from after the front queues
 */
import { frontQueueCount } from '../../url/front-queue.ts';

export const budgetQueue = frontQueueCount;
export const trapQueueFirst = 16;
export const trapQueues = 32;

/** The name of a queue for people: the number of a front queue, `budget` or `trap`. */
export function queueName(number: number): string {
  if (number < frontQueueCount) return String(number);
  return number === budgetQueue ? 'budget' : 'trap';
}

export function isTrapQueue(frontQueue: number): boolean {
  return frontQueue >= trapQueueFirst && frontQueue < trapQueueFirst + trapQueues;
}
