/**
 * Bands beyond the front queues: URLs that were admitted and are deferred, each kind in bands of its own, so that
 * holding them costs nothing and giving them back moves no URL.
 *
 *   0 … 7     front queues (url/band.ts)
 *   8         beyond the host's budget
 *   16 … 47   one for each trap of the host; a released trap's band is drawn from after the front queues
 */
import { bandCount } from '../../url/band.ts';

export const budgetBand = bandCount;
export const trapBandFirst = 16;
export const trapBands = 32;

export function isTrapBand(band: number): boolean {
  return band >= trapBandFirst && band < trapBandFirst + trapBands;
}
