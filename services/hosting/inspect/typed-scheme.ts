/** Completes a URL that was typed without a scheme: with https, or with http if the crawl knows only that. */
import { hasScheme, withScheme } from '../../../topology/url/seed.ts';

/** `isKnown`: does the crawl know the URL? If it knows neither, the answer is about https. */
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
