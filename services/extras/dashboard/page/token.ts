/** Asks for the token that this service wants. */
import { confirmed } from './dialogs.ts';
import { el } from './element.ts';

/** Asks for the token. Undefined: the person gave none. `again`: the previous one was wrong. */
export async function askToken(again: boolean): Promise<string | undefined> {
  const field = el('input', { type: 'password', autocomplete: 'off', 'aria-label': 'Token', required: true });
  const isGiven = await confirmed({
    title: again ? 'The token is wrong' : 'Enter the token',
    text: 'Enter CRAWLSTREAM_HTTP_TOKEN of the service or, in a fleet, an owner’s key. It is kept only until this page is closed.',
    yes: 'Use it',
    field,
  });
  return isGiven && field.value !== '' ? field.value : undefined;
}
