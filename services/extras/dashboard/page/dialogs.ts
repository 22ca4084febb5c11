/** Questions that stop the page until they are answered: modal dialogs, closed by Escape, focus back where it was. */
import { el, setText } from './element.ts';

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  /** Something to fill in. */
  readonly field?: HTMLInputElement;
  /**
   * Interprets the typed value: the text of its effect, and the amount. Without an amount, the answer cannot be sent.
   */
  readonly read?: (value: string) => { readonly amount?: number | null; readonly text: string };
  /** The equivalent command. */
  readonly command?: (value: string) => string;
}

/** Resolves to true if the person agrees. */
export function confirmed({ title, text, yes, field, read, command }: Question): Promise<boolean> {
  const back = document.activeElement;
  const form = el('form', { method: 'dialog' });
  const dialog = el('dialog', { 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' }, form);
  const no = el('button', { type: 'button', class: 'quiet' }, 'Cancel');
  no.addEventListener('click', () => dialog.close('no'));
  const ok = el('button', { type: 'submit', class: 'strong' }, yes);
  const effect = el('output', { class: 'effect' });
  const typed = el('code');
  const update = () => {
    const value = field?.value.trim() ?? '';
    const understood = value === '' ? undefined : read?.(value);
    setText(effect, understood?.text ?? '');
    if (read !== undefined) ok.disabled = understood?.amount === undefined;
    setText(typed, command?.(value === '' ? '…' : value) ?? '');
  };
  field?.addEventListener('input', update);
  update();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!ok.disabled) dialog.close('yes');
  });
  form.append(
    el('h2', { id: 'dialog-title' }, title),
    el('p', { id: 'dialog-text' }, text),
    ...(field === undefined ? [] : [field]),
    ...(read === undefined ? [] : [effect]),
    ...(command === undefined ? [] : [el('p', { class: 'hint' }, 'The same as ', typed)]),
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
