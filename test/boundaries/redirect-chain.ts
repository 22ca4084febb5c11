/** A page that redirects to another spelling of itself, again and again, in a frontier's hands. */
import { Hand } from '../../lab/model/hand.ts';

/** Are so many hops followed, and the one after them answered? */
export function hopsFollowed(hops: number): boolean {
  const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 1, retriesMs: [] });
  const url = 'https://a.test/page';
  hand.linksTo([url]);
  for (let hop = 1; hop <= hops; hop++) {
    const task = hand.lease();
    const spelt = { redirectUrl: `${url}#${hop}`, status: 301 };
    hand.rig.send(
      'results',
      hand.resultOf(task, () => spelt, { kind: 'redirect' }),
    );
    const step = hand.rig.step(hand.nowMs, 0)!;
    if (step.deadLetters.length > 0) return false;
  }
  return hand.grant().length === 1;
}
