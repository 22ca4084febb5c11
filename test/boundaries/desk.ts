/** What the desk for webmasters takes of strangers. */

import { controlOf } from '../../lab/model/model-script.ts';
import { challengeFor, challengePrefix, isAnswer } from '../../services/extras/desk/challenge.ts';
import { deskLimits } from '../../services/extras/desk/desk-limits.ts';
import { hostKeyOfVisitor } from '../../services/extras/desk/host-name.ts';
import { deskName, hostOrders } from '../../services/extras/desk/host-orders.ts';
import { createOneAtATime } from '../../services/extras/desk/one-at-a-time.ts';
import { eventsOf } from '../../services/extras/desk/orders.ts';
import { lookAtDns } from '../../services/extras/desk/prove-host.ts';
import { createRates } from '../../services/extras/desk/rates.ts';
import { createSealer } from '../../services/extras/desk/sealed.ts';
import { newVisit, withProof } from '../../services/extras/desk/visit.ts';
import { type BoundaryTable, cutAt, driven, tuning, undriven, upTo } from './boundary.ts';

const sealer = createSealer('a secret of some thirty characters');
const hostKey = 'a.test';
const passes = (act: () => unknown): boolean => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};
const name = (chars: number) =>
  `${Array(Math.ceil(chars / 2))
    .fill('a')
    .join('.')}.test`.slice(-chars);
const taken = (most: number) => (n: number) => {
  const rates = createRates(60_000);
  return Array.from({ length: n }, (_, at) => rates.take('one', most, at)).filter((isTaken) => isTaken).length;
};

/** Is a proof found that stands behind so many others? */
async function isReadAt(place: number): Promise<boolean> {
  const asked = { crawl: 'c', hostKey, visitor: 'v' };
  const others = Array.from({ length: place - 1 }, (_, n) => `${challengePrefix}${n}`);
  const txt = async () => [...others, challengeFor(sealer, asked, 0)];
  const places = { txt, request: () => Promise.reject(new Error()), headers: {} };
  return (await lookAtDns(places, hostKey, (text) => isAnswer(sealer, asked, text, 0))).problem === null;
}

/** Is what was asked at the beginning of a day answered, when so many days have gone by? */
function holdsAfter(days: number): boolean {
  const asked = { crawl: 'c', hostKey, visitor: 'v' };
  return isAnswer(sealer, asked, challengeFor(sealer, asked, 0), days * 86_400_000);
}

function provenOf(n: number): number {
  let visit = newVisit();
  for (let at = 0; at < n; at++) visit = withProof(visit, { hostKey: `${at}.test`, untilMs: 1, how: 'dns' });
  return visit.proven.length;
}

/** May one more be ordered after so many in the last hour? */
function ordersAfter(n: number): boolean {
  const said = { hostKey, by: deskName(hostKey), atMs: 1_000 };
  const events = Array.from({ length: n }, () => controlOf({ kind: 'hostDelay', amount: 5_000, ...said }));
  const orders = hostOrders(events, hostKey, 1_000);
  return passes(() => eventsOf({ name: 'pause', delayMs: null }, hostKey, { orders, policyMs: 0 }));
}

/** Of so many that ask at once, who is not told to come back? */
async function served(n: number): Promise<number> {
  const oneAtATime = createOneAtATime();
  const all = await Promise.allSettled(Array.from({ length: n }, () => oneAtATime(async () => {})));
  return all.filter(({ status }) => status === 'fulfilled').length;
}

export const deskBoundaries: BoundaryTable<typeof deskLimits> = {
  formBytesMax: undriven('a form of 5,000 bytes is refused in test/services/extras/desk'),
  hostCharsMax: upTo((n) => passes(() => hostKeyOfVisitor(name(n)))),
  fileBytesMax: undriven('how answers are cut is driven where requests are guarded'),
  proofsReadMax: upTo(isReadAt),
  fileMs: tuning('how long a slow site is waited for'),
  challengeDays: upTo(holdsAfter),
  hostsPerVisitorMax: cutAt(deskLimits.hostsPerVisitorMax, provenOf),
  callsPerMinute: cutAt(deskLimits.callsPerMinute, taken(deskLimits.callsPerMinute)),
  proofsPerMinute: cutAt(deskLimits.proofsPerMinute, taken(deskLimits.proofsPerMinute)),
  proofsOfHostPerMinute: cutAt(deskLimits.proofsOfHostPerMinute, taken(deskLimits.proofsOfHostPerMinute)),
  proofsAtOnce: undriven('it takes so many sites that are slow at once'),
  ordersPerHour: driven(ordersAfter, true, false, false),
  ordersOfDomainPerHour: cutAt(deskLimits.ordersOfDomainPerHour, taken(deskLimits.ordersOfDomainPerHour)),
  countedMax: undriven('beyond it a name is forgotten, and counted anew'),
  waitingMax: cutAt(deskLimits.waitingMax, served),
  accountMs: tuning('how old an account may be that is shown'),
  requestsMax: undriven('the newest are kept of a list that is cut as it is read'),
};
