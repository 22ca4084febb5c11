/** The policy of a crawl in memory: the defaults of the command, with the given fields in the place of theirs. */
import { CrawlstreamError } from '../../topology/errors.ts';
import { listsOf } from '../../topology/policy/lists-of.ts';
import { compilePolicy, defaultPolicy, type Policy } from '../../topology/policy/policy.ts';
import { defaultTraps } from '../../topology/policy/traps/trap-config.ts';
import { validatePolicy } from '../../topology/policy/validate.ts';
import { scopeOf } from '../../topology/url/scope.ts';
import { createListFiles } from '../runtime/policy/list-files.ts';
import type { CrawlOptions } from './crawl-options.ts';
import { librarySeed } from './library-seed.ts';

/** Throws INVALID_ARGUMENT, INVALID_SEED. */
export async function policyOf({ seeds, policy }: CrawlOptions, version: number): Promise<Policy> {
  const scope = scopeOf('domain', seeds.map(librarySeed));
  const asked = { ...defaultPolicy(), traps: defaultTraps, scope, ...policy, version };
  // As it travels: fields that are undefined are absent.
  const config = validatePolicy(JSON.parse(JSON.stringify(asked)));
  if (seeds.length === 0 && policy?.scope === undefined) {
    const why = "without seeds, the scope must be set: give policy.scope, as in { kind: 'all', names: [] }";
    throw new CrawlstreamError('INVALID_ARGUMENT', `crawl: ${why}`);
  }
  return compilePolicy(config, await createListFiles().load(listsOf(config), process.cwd()));
}
