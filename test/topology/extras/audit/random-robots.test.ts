/** Our rules, the package `robots-parser`, and the audit's referee, which shares no code with either, on files made at random. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { readForReferee, refereeVerdict } from '../../../../topology/extras/audit/robots-referee.ts';
import { byOurs, byPackage } from '../../robots/two-parsers.ts';

/** Small files of few words, so that groups, rules and paths meet. */
function randomFile(next: () => number): { readonly file: string; readonly paths: readonly string[] } {
  const pick = <T>(list: readonly T[]) => list[next() % list.length]!;
  const part = () => pick(['a', 'b', 'ab', '*', 'a*b', '%41', '%2F', 'ä', '$', 'a$', '?q=', '.html']);
  const path = () => `/${Array.from({ length: next() % 3 }, part).join(pick(['', '/']))}`;
  const line = () =>
    pick([
      () => `User-agent: ${pick(['*', 'bot', 'other', 'Bot/1.0'])}`,
      () => `${pick(['Disallow', 'Allow', 'disallow', 'ALLOW'])}: ${path()}`,
      () => `Disallow: ${path()} # why`,
      () => `Disallow:`,
      () => `Crawl-delay: ${next() % 9}`,
      () => '',
      () => '# nothing',
    ])();
  const file = Array.from({ length: 2 + (next() % 9) }, line).join(pick(['\n', '\r\n']));
  const paths = Array.from({ length: 5 }, () => path().replaceAll('*', 'x').replaceAll('$', ''));
  return { file, paths };
}

it('on random files our parser and the referee agree, even if the package robots-parser disagrees', (t) => {
  const next = numbers(9309);
  const asked = { questions: 0, differing: 0 };
  for (let file = 0; file < 3_000; file++) {
    const made = randomFile(next);
    const body = Buffer.from(made.file);
    for (const path of made.paths) {
      const url = new URL(`http://a.test${path}`).href;
      const ours = byOurs(body, 'bot', url);
      const { allowed } = refereeVerdict(readForReferee(body, 'bot'), url);
      assert.equal(ours, allowed, `${JSON.stringify(made.file)} for ${url}`);
      asked.questions += 1;
      if (byPackage(body, 'bot', url) !== ours) asked.differing += 1;
    }
  }
  t.diagnostic(`robots-parser says otherwise in ${asked.differing} of ${asked.questions} questions`);
  assert.ok(asked.differing < asked.questions / 5, 'far apart: a reading of the file is at fault');
});
