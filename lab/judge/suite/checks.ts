/** All checks of the suite, family by family. Those that wait longest come first, so that they run beside the others. */
import type { Check } from './check.ts';
import { charsetsChecks } from './families/charsets.ts';
import { httpChecks } from './families/http.ts';
import { linksChecks } from './families/links.ts';
import { politenessChecks } from './families/politeness.ts';
import { redirectsChecks } from './families/redirects.ts';
import { robotsChecks } from './families/robots.ts';
import { urlsChecks } from './families/urls.ts';

export const suiteChecks: readonly Check[] = [
  ...politenessChecks,
  ...robotsChecks,
  ...httpChecks,
  ...redirectsChecks,
  ...urlsChecks,
  ...linksChecks,
  ...charsetsChecks,
];
