/** What sites say of use, on the edges of what is read of it. */
import { compileUsage, robotsUsage } from '../../topology/usage/robots-usage.ts';
import { statement } from '../../topology/usage/statement.ts';
import { parseTdmrep } from '../../topology/usage/tdmrep.ts';
import type { usageLimits } from '../../topology/usage/usage-limits.ts';
import { usageLimits as limits } from '../../topology/usage/usage-limits.ts';
import { type BoundaryTable, cutAt, upTo } from './boundary.ts';
import { pageOf } from './parse.ts';
import { readFor } from './robots-file.ts';

export const usageBoundaries: BoundaryTable<typeof usageLimits> = {
  saidCharsMax: cutAt(limits.saidCharsMax, (n) => statement('search', 'deny', 'x', 'x'.repeat(n)).said.length),
  // The last rule allows something: beyond the bound it cannot.
  rulesMax: upTo((n) => {
    const rules = `${'Content-Usage: /x search=y\n'.repeat(n - 1)}Content-Usage: /last search=y`;
    return robotsUsage(compileUsage(readFor(0, rules)), 'http://a.test/last').length === 1;
  }),
  tdmRulesMax: upTo((n) => {
    const rules = Array.from({ length: n }, () => ({ location: '/', 'tdm-reservation': 1 }));
    return parseTdmrep(Buffer.from(JSON.stringify(rules))).length === n;
  }),
  metasMax: cutAt(limits.metasMax, (n) => pageOf('<meta name=robots content=noai>'.repeat(n)).usageMetas?.length ?? 0),
};
