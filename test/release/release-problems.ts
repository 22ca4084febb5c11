/** What is wrong with a checkout that is to be released, in words that say what to do. */

export interface Checkout {
  /** Absent: none yet. */
  readonly tag: string | undefined;
  readonly package: { readonly version: string };
  readonly lock: { readonly version: string };
  readonly changelog: string;
  /** Versions of which the tree has figures. */
  readonly results: readonly string[];
  /** As `git status --porcelain` has it. */
  readonly uncommitted: string;
}

export function releaseProblems(checkout: Checkout): string[] {
  const { tag, lock, changelog, results, uncommitted } = checkout;
  const { version } = checkout.package;
  const problems: string[] = [];
  if (!/^\d+\.\d+\.\d+$/.test(version)) problems.push(`package.json names the version ${version}: give X.Y.Z`);
  if (lock.version !== version) problems.push(`package-lock.json names ${lock.version}, not ${version}: npm install`);
  if (tag !== undefined && tag !== `v${version}`) problems.push(`the tag is ${tag}: package.json asks for v${version}`);
  const [, ...sections] = changelog.split(/^## /m);
  const notes = sections.find((section) => section.split('\n')[0]!.split(/[ ,]/)[0] === version);
  if (notes === undefined) problems.push(`CHANGELOG.md has no heading "## ${version}": name what is unreleased so`);
  else if (!/^- /m.test(notes)) problems.push(`CHANGELOG.md says nothing under ${version}`);
  if (!results.includes(version))
    problems.push(`no figures of ${version}: npm run bench -- all --release --out lab/bench/results/${version}.json`);
  if (uncommitted !== '') problems.push(`not committed: ${uncommitted.trim().split('\n').length} files`);
  return problems;
}
