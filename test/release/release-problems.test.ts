import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { releaseProblems } from './release-problems.ts';

const ready = {
  tag: 'v0.2.0',
  package: { version: '0.2.0' },
  lock: { version: '0.2.0' },
  changelog: '# Changelog\n\n## Unreleased\n\n## 0.2.0, 2026-11-22\n\n- It ships.\n\n## 0.1.0\n\n- It runs.\n',
  results: ['0.1.0', '0.2.0'],
  uncommitted: '',
};

describe('a release', () => {
  it('a release goes out if the tag, the package, its lock and the changelog name one version', () => {
    assert.deepEqual(releaseProblems(ready), []);
    assert.deepEqual(releaseProblems({ ...ready, tag: undefined }), []);
  });

  it('a release lists each obstacle', () => {
    const cases: readonly (readonly [Partial<typeof ready>, RegExp])[] = [
      [{ tag: 'v0.3.0' }, /tag is v0\.3\.0.*v0\.2\.0/],
      [{ lock: { version: '0.1.0' } }, /package-lock\.json names 0\.1\.0/],
      [{ changelog: '# Changelog\n\n## Unreleased\n\n- It ships.\n' }, /no heading "## 0\.2\.0"/],
      [{ changelog: '# Changelog\n\n## 0.2.0\n\n## 0.1.0\n\n- It runs.\n' }, /says nothing under 0\.2\.0/],
      [{ changelog: '# Changelog\n\n## 0.2.01\n\n- No.\n' }, /no heading/],
      [{ results: ['0.1.0'] }, /no figures of 0\.2\.0: npm run bench -- all --release --out/],
      [{ uncommitted: ' M a\n?? b\n' }, /2 files/],
    ];
    for (const [change, says] of cases) {
      const problems = releaseProblems({ ...ready, ...change });
      assert.equal(problems.length, 1, problems.join());
      assert.match(problems[0]!, says);
    }
    const early = { ...ready, tag: undefined, package: { version: 'next' }, lock: { version: 'next' } };
    assert.match(releaseProblems(early)[0]!, /give X\.Y\.Z/);
  });
});
