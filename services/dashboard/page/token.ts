/** Asks for the token that this service wants. */
import { confirmed } from './dialogs.ts';
import { el } from './element.ts';

/** Undefined: none was given. `again`: the one before was refused. */
export async function askToken(again: boolean): Promise<string | undefined> {
  const field = el('input', { type: 'password', autocomplete: 'off', 'aria-label': 'Token', required: true });
  const isGiven = await confirmed({
    title: again ? 'That token was refused' : 'This needs a token',
    text: 'It is CRAWLSTREAM_HTTP_TOKEN of the service, or in a fleet the key of an owner. It is kept in this page only, until it is closed.',
    yes: 'Use it',
    field,
  });
  return isGiven && field.value !== '' ? field.value : undefined;
}
