/** Questions that stop the page until they are answered: modal dialogs, closed by Escape, focus back where it was. */
import { el } from './element.ts';

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  /** Something to fill in. */
  readonly field?: HTMLInputElement;
}

/** False: no. */
export function confirmed({ title, text, yes, field }: Question): Promise<boolean> {
  const back = document.activeElement;
  const form = el('form', { method: 'dialog' });
  const dialog = el('dialog', { 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' }, form);
  const no = el('button', { type: 'button', class: 'quiet' }, 'Cancel');
  no.addEventListener('click', () => dialog.close('no'));
  const ok = el('button', { type: 'button', class: 'strong' }, yes);
  ok.addEventListener('click', () => dialog.close('yes'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    dialog.close('yes');
  });
  form.append(
    el('h2', { id: 'dialog-title' }, title),
    el('p', { id: 'dialog-text' }, text),
    ...(field === undefined ? [] : [field]),
    el('div', { class: 'dialog-buttons' }, no, ok),
  );
  document.body.append(dialog);
  dialog.showModal();
  (field ?? no).focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (back instanceof HTMLElement && back.isConnected) back.focus();
      resolve(dialog.returnValue === 'yes');
    });
  });
}
