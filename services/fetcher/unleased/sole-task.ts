/**
 * A made-up lease of one URL, for code that reads pages which were fetched before: it has no delays and no deadline.
 */
import { blankTask, blankTaskUrl } from '../../../schemas/blank.ts';
import type { Task } from '../../../schemas/types.ts';

export function soleTask(url: string, hostKey: string, depth: number, tags: readonly string[] = []): Task {
  return { ...blankTask, hostKey, urls: [{ ...blankTaskUrl, url, depth, tags }] };
}
