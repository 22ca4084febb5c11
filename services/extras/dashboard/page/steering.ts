/** The calls on a whole crawl that work now, and why the others do not. */
import type { CrawlStatus } from '../status.ts';
import { isEnded } from './phase-text.ts';

export interface Steering {
  readonly canPause: boolean;
  readonly canStop: boolean;
  /** Empty: there is nothing to say. */
  readonly why: string;
}

type Steered = Pick<CrawlStatus, 'phase' | 'paused' | 'idle' | 'canStop' | 'members'>;

export function steeringOf({ phase, paused, idle, canStop = false, members }: Steered): Steering {
  if (isEnded(phase)) return { canPause: paused, canStop: false, why: '' };
  if (idle !== null)
    return { canPause: paused, canStop: false, why: 'No process runs the crawl: there is nothing to stop.' };
  // Only the reader of another process's data folder knows no members.
  const isOfAnother = !canStop && members === null;
  return { canPause: true, canStop, why: isOfAnother ? stopElsewhere : '' };
}

const stopElsewhere =
  'Another process runs the crawl: to stop the crawl, press Ctrl-C in the terminal of that process.';
