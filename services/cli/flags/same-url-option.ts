/**
 * Options for URLs that differ and mean the same page. `--same-url`: differences to ignore, in the words of
 * topology/policy/url-identity.ts. `--same-url-proofs`, `--canonicals`: use of the redirects and canonical links of the hosts themselves.
 */
import type { Option } from 'commander';
import { proofsLeast, proofsMost } from '../../../topology/policy/equivalences.ts';
import { type SameUrlWord, sameUrlWords } from '../../../topology/policy/url-identity.ts';
import { bad } from '../../runtime/option-text.ts';
import { oneOf, orNone, wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

export function sameUrlOption(): Option {
  return setting(
    '--same-url <list>',
    'URL differences to ignore: ref; fixed for a crawl: slash, https, http, empty, index, www',
    'servers may treat them as different URLs, and ignoring a difference can lose pages',
    sameUrl,
  );
}

export function sameUrlProofsOption(): Option {
  return setting(
    '--same-url-proofs <n>',
    'apply a URL change to a host after n redirects show it (default: none; --canonicals: 3)',
    'each spelling is requested, since the proofs of some pages may not hold for all',
    orNone(wholeNumber('--same-url-proofs', proofsLeast, proofsMost)),
  );
}

export function canonicalsOption(): Option {
  return setting(
    '--canonicals',
    'treat rel=canonical as a redirect if only query, index page or scheme differs',
    'a page is published under its own URL, with its canonical as a field',
  );
}

function sameUrl(text: string): SameUrlWord[] {
  const words = Object.keys(sameUrlWords) as SameUrlWord[];
  const given = [...new Set(text.split(',').map((word) => oneOf('--same-url', words)(word.trim())))];
  if (given.includes('http') && given.includes('https'))
    throw bad('--same-url', text, 'give the scheme to use for requests: http or https');
  return given;
}
