/** Blocking and releasing a host: asked before a block, said afterwards, and taken back by one button. */
import type { HostAct, HostTold } from '../told.ts';
import { confirmed } from './dialogs.ts';
import { byId, el } from './element.ts';
import { actOn } from './requests.ts';

/** What is said stays until something else is, or somebody dismisses it. */
export function operate(refresh: () => void): (host: HostTold) => Promise<void> {
  const toast = byId('toast');
  const say = (text: string, ...buttons: HTMLButtonElement[]) => {
    const close = el('button', { type: 'button', class: 'quiet', 'aria-label': 'Dismiss' }, '×');
    close.addEventListener('click', () => toast.replaceChildren());
    toast.replaceChildren(el('p', {}, text), ...buttons, close);
  };
  const act = async (name: HostAct, host: string, undoable: boolean): Promise<void> => {
    try {
      await actOn(name, host);
    } catch (error) {
      say((error as Error).message);
      return;
    }
    const undo = el('button', { type: 'button' }, 'Undo');
    undo.addEventListener('click', () => void act(name === 'block' ? 'release' : 'block', host, false));
    say(name === 'block' ? `${host} is blocked` : `${host} is released`, ...(undoable ? [undo] : []));
    // The word is durable; the frontier takes it within a moment.
    setTimeout(refresh, 500);
  };
  return async ({ host, hold, deadUntilMs }) => {
    // What was on hold for another reason than a block is not given back by one.
    if (hold !== '' || deadUntilMs !== null) return act('release', host, hold === 'blocked');
    const text = 'Nothing more is fetched from it. What it has queued is kept, and waits until it is released.';
    if (await confirmed({ title: `Block ${host}?`, text, yes: 'Block' })) await act('block', host, true);
  };
}
