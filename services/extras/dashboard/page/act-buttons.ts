/** The buttons of a host: the actions that its present state allows. */
import type { ActedHost } from './act-texts.ts';
import { el, setText } from './element.ts';
import type { ShownAct } from './operate.ts';

export interface ActButtons {
  readonly element: HTMLElement;
  /** Shows the buttons for the newest status of the host. */
  show(host: ActedHost): void;
}

export function actButtons(onAct: (act: ShownAct, host: ActedHost) => void): ActButtons {
  let shown: ActedHost | undefined;
  const button = (act: () => ShownAct) => {
    const made = el('button', { type: 'button', class: 'quiet act' });
    made.addEventListener('click', () => shown && onAct(act(), shown));
    return made;
  };
  const isFree = () => shown === undefined || (shown.hold === '' && shown.deadUntilMs === null);
  const block = button(() => (isFree() ? 'block' : 'unblock'));
  const [delay, limit] = [button(() => 'delay'), button(() => 'limit')];
  return {
    element: el('div', { class: 'acts operators' }, block, delay, limit),
    show(host) {
      shown = host;
      const named = [
        [block, isFree() ? 'Block' : 'Unblock'],
        [delay, 'Delay'],
        [limit, 'Limit'],
      ] as const;
      for (const [made, name] of named) {
        setText(made, name);
        made.setAttribute('aria-label', `${name} ${host.host}`);
      }
      // This page cannot release a purged host.
      block.hidden = host.hold === 'purged';
    },
  };
}
