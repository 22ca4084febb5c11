/** Actions on hosts and on the crawl: each describes its effect first, and confirms it afterwards. */
import type { CrawlAct, CrawlStatus, HostAct } from '../status.ts';
import {
  type ActedHost,
  blockText,
  readDelay,
  readLimit,
  steerText,
  type Understood,
  unblockText,
} from './act-texts.ts';
import { confirmed } from './dialogs.ts';
import { byId, el } from './element.ts';
import { duration } from './numbers.ts';
import { actOn, addSeeds, replayLetters, steer } from './requests.ts';

export type ShownAct = Exclude<HostAct, 'release'>;

export interface Operator {
  act(act: ShownAct, host: ActedHost): Promise<void>;
  steer(act: CrawlAct, status: CrawlStatus): Promise<void>;
  addSeed(url: string): Promise<void>;
  replay(ids: readonly string[]): Promise<void>;
  /** The crawl has ended: nothing can be undone. */
  over(): void;
}

type Send = (sent: () => Promise<unknown>, done: string, ...buttons: HTMLButtonElement[]) => Promise<void>;

export function operate(refresh: () => void): Operator {
  const toast = byId('toast');
  const send = createSend(toast, refresh);
  return {
    over: () => toast.querySelector('.undo')?.remove(),
    ...hostOperator(send),
    ...crawlOperator(send),
  };
}

/** A message stays until the next one, or until it is dismissed. */
function createSend(toast: HTMLElement, refresh: () => void): Send {
  const say = (text: string, ...buttons: HTMLButtonElement[]) => {
    const close = el('button', { type: 'button', class: 'quiet', 'aria-label': 'Dismiss' }, '×');
    close.addEventListener('click', () => toast.replaceChildren());
    toast.replaceChildren(el('p', {}, text), ...buttons, close);
  };
  return async (sent, done, ...buttons) => {
    try {
      await sent();
    } catch (error) {
      say((error as Error).message);
      return;
    }
    say(done, ...buttons);
    // The word is durable; the frontier takes it within a moment.
    setTimeout(refresh, 500);
  };
}

function hostOperator(send: Send): Pick<Operator, 'act'> {
  const toggle = (act: 'block' | 'unblock', host: string, undoable: boolean): Promise<void> => {
    const undo = el('button', { type: 'button', class: 'undo' }, 'Undo');
    undo.addEventListener('click', () => void toggle(act === 'block' ? 'unblock' : 'block', host, false));
    return send(() => actOn(act, host), `${host} is ${act}ed`, ...(undoable ? [undo] : []));
  };
  return {
    async act(act, host) {
      if (act === 'delay' || act === 'limit') return withAmount(send, act, host);
      const name = host.host;
      const [title, yes] = act === 'block' ? [`Block ${name}?`, 'Block'] : [`Unblock ${name}?`, 'Unblock'];
      const text = act === 'block' ? blockText(host) : unblockText(host);
      if (!(await confirmed({ title, text, yes, command: () => `crawlstream ${act} ${name}` }))) return;
      // Unblocking would not restore a hold for another reason than a block.
      await toggle(act, name, act === 'block' || host.hold === 'blocked');
    },
  };
}

async function withAmount(send: Send, act: 'delay' | 'limit', host: ActedHost): Promise<void> {
  const read = (value: string): Understood => (act === 'delay' ? readDelay : readLimit)(value.trim(), host);
  const example = act === 'delay' ? duration(host.delayMs).replace(' ', '') : '1000';
  const field = el('input', {
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': fieldNames[act],
    placeholder: `as in ${act === 'delay' ? '5s' : example}`,
    maxlength: 20,
  });
  const now =
    act === 'delay'
      ? `Now: ${duration(host.delayMs)} from the end of a request to the start of the next one.`
      : 'Most pages to fetch from this host.';
  const title = act === 'delay' ? `Delay of ${host.host}` : `Limit of ${host.host}`;
  const text = `${now} “default” restores the policy’s value.`;
  const isSet = await confirmed({
    title,
    text,
    yes: 'Set',
    field,
    read,
    command: (value) => `crawlstream ${act} ${host.host} ${value}`,
  });
  const { amount } = read(field.value);
  if (!isSet || amount === undefined) return;
  const set = amount === null ? 'as in the policy' : act === 'delay' ? duration(amount) : `${amount} pages`;
  await send(() => actOn(act, host.host, amount), `The ${act} of ${host.host} is ${set}`);
}

function crawlOperator(send: Send): Pick<Operator, 'addSeed' | 'replay' | 'steer'> {
  return {
    async addSeed(url) {
      const text = 'The URL is fetched as a seed is: with depth 0, and once. The scope and all rules apply to it.';
      const command = () => `crawlstream inject '${url.replaceAll("'", '%27')}'`;
      if (!(await confirmed({ title: `Add ${url}?`, text, yes: 'Add', command }))) return;
      const added = async () => {
        const { refused } = await addSeeds([url]);
        if (refused[0] !== undefined) throw new Error(refused[0].why);
      };
      await send(added, `${url} is added`);
    },
    async replay(ids) {
      const what = ids.length === 1 ? 'one dead letter' : `${ids.length} dead letters`;
      const text = 'Each URL is fetched again with all its tries, past the seen test; each record is read again.';
      const command = () => `crawlstream dlq replay ${ids.slice(0, 3).join(' ')}${ids.length > 3 ? ' …' : ''}`;
      if (!(await confirmed({ title: `Send ${what} again?`, text, yes: 'Send again', command }))) return;
      await send(() => replayLetters(ids), `Sent ${what} again`);
    },
    async steer(act, status) {
      const { yes, done, command } = steering[act];
      const title = `${yes} the crawl?`;
      if (!(await confirmed({ title, text: steerText(act, status), yes, command: () => command }))) return;
      await send(() => steer(act), `The crawl ${done}`);
    },
  };
}

const steering = {
  pause: { yes: 'Pause', done: 'is paused', command: 'crawlstream pause' },
  resume: { yes: 'Resume', done: 'is resumed', command: 'crawlstream resume' },
  stop: { yes: 'Stop', done: 'stops', command: 'Ctrl-C in its terminal' },
} as const;

const fieldNames = { delay: 'Delay', limit: 'Pages' } as const;
