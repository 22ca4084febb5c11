/** The URL that a path of this server names behind its own part, as people and browsers write it. */
import { canParse } from '../../../../topology/url/can-parse.ts';

/** Absolute, http or https, without fragment. Null: it names none. */
export function askedUrl(text: string): string | null {
  // Some clients and proxies make one slash of two.
  const whole = text.replace(/^(https?):\/+/i, '$1://');
  const given = /^[a-z][a-z\d+.-]*:\/\//i.test(whole) ? whole : `http://${whole}`;
  if (!canParse(given)) return null;
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  url.hash = '';
  return url.href;
}

export interface AskedMemento {
  /** Undefined: none is named. */
  readonly digits: string | undefined;
  readonly url: string | null;
}

/** `20260131/http://…`, with modifiers of other players' paths (`mp_`) passed over; or a URL alone. */
export function askedMemento(text: string): AskedMemento {
  const [, digits, rest] = /^(\d{4,14})(?:[a-z]{2}_)?\/(.*)$/s.exec(text) ?? [];
  return digits === undefined ? { digits, url: askedUrl(text) } : { digits, url: askedUrl(rest!) };
}
