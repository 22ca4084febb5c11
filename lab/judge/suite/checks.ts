/** All checks of the suite, family by family. Those that wait longest come first, so that they run beside the others. */
import type { Check } from './check/check.ts';
import { charsetsChecks } from './families/charsets.ts';
import { identityChecks, securityChecks } from './families/conduct.ts';
import { hostileChecks } from './families/hostile.ts';
import { httpChecks } from './families/http.ts';
import { http2Checks } from './families/http2.ts';
import { linksChecks } from './families/links.ts';
import { namesChecks } from './families/names.ts';
import { politenessChecks } from './families/politeness.ts';
import { preferencesChecks } from './families/preferences.ts';
import { redirectsChecks } from './families/redirects.ts';
import { robotsChecks } from './families/robots.ts';
import { sitemapsChecks } from './families/sitemaps.ts';
import { tlsChecks } from './families/tls.ts';
import { trapsChecks } from './families/traps.ts';
import { urlsChecks } from './families/urls.ts';
import { againChecks, wasteChecks } from './families/waste.ts';

/** Raised with each change of the checks: scores of two versions are not comparable. */
export const suiteVersion = 2;

export const suiteChecks: readonly Check[] = [
  ...politenessChecks,
  ...hostileChecks,
  ...trapsChecks,
  ...robotsChecks,
  ...httpChecks,
  ...tlsChecks,
  ...http2Checks,
  ...redirectsChecks,
  ...urlsChecks,
  ...linksChecks,
  ...charsetsChecks,
  ...sitemapsChecks,
  ...againChecks,
  ...wasteChecks,
  ...securityChecks,
  ...namesChecks,
  ...identityChecks,
  ...preferencesChecks,
];
