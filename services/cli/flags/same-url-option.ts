/** `--same-url`: what makes no other URL, in the words of topology/policy/url-identity.ts. `--fetch-as`: which spelling of it is asked for. */
import type { Option } from 'commander';
import { fetchAsChoices } from '../../../topology/policy/policy.ts';
import { type SameUrlWord, sameUrlWords } from '../../../topology/policy/url-identity.ts';
import { bad, oneOf } from './arguments.ts';
import { setting } from './setting.ts';

export function sameUrlOption(): Option {
  return setting(
    '--same-url <list>',
    `what makes no other URL, by commas: ${Object.keys(sameUrlWords).join(', ')}; fixed once a crawl has begun`,
    'servers may tell them apart, and a page that is taken for another is lost',
    sameUrl,
  );
}

export function fetchAsOption(): Option {
  return setting(
    '--fetch-as <spelling>',
    'in which spelling a URL is asked for: its normal one, or firstSpelling, in which it was found first',
    'one spelling for each page is what caches and logs of sites expect',
  ).argParser(oneOf('--fetch-as', fetchAsChoices));
}

function sameUrl(text: string): SameUrlWord[] {
  const words = Object.keys(sameUrlWords) as SameUrlWord[];
  const given = [...new Set(text.split(',').map((word) => oneOf('--same-url', words)(word.trim())))];
  if (given.includes('http') && given.includes('https'))
    throw bad('--same-url', text, 'name the scheme to fetch by: http or https');
  return given;
}
