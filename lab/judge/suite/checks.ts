/** All checks of the suite, family by family. Those that wait longest come first, so that they run beside the others. */
import type { Check } from './check.ts';
import { linksChecks } from './families/links.ts';
import { politenessChecks } from './families/politeness.ts';
import { robotsChecks } from './families/robots.ts';

export const suiteChecks: readonly Check[] = [...politenessChecks, ...robotsChecks, ...linksChecks];
