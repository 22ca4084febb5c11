/** A URL that was typed without a scheme: with https, and where the crawl has nothing of that, with http. */
import { hasScheme, withScheme } from '../../../topology/url/seed.ts';

/** `isKnown`: the crawl has something of it. Where it has nothing of either, the answer is of https. */
export async function byEitherScheme<T>(
  typed: string,
  ask: (url: string) => Promise<T>,
  isKnown: (answer: T) => boolean,
): Promise<T> {
  const url = withScheme(typed);
  const answer = await ask(url);
  if (hasScheme(typed) || isKnown(answer)) return answer;
  const plain = await ask(url.replace(/^https:/, 'http:'));
  return isKnown(plain) ? plain : answer;
}
