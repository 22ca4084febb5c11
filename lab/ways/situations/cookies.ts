/** Cookies that a page sets, and the Cookie field of the next request. */
import { answer, broken, empty, page, withFields } from './answers.ts';
import type { Answer, Difference, Field, Seen, Situation } from './situation.ts';

const next = '/next';
const cookie = (value: string): Field => ['Set-Cookie', value];

/** The Cookie field of the request for `/next`. */
function sentNext({ asked }: Seen): string {
  const last = asked.filter(({ path }) => path === next).at(-1);
  if (last === undefined) return 'not asked';
  return last.fields.get('cookie') ?? 'no cookie';
}

const set = (name: string, first: Answer, expects: string, differs?: readonly Difference[]): Situation => ({
  ...{ group: 'cookie', name, page: [first], paths: { [next]: [page([])] }, expects, outcomeOf: sentNext },
  ...(differs && { differs }),
});
const withLink = (...fields: Field[]): Answer => ({ ...page([next]), fields: [...page([]).fields, ...fields] });
const secureOnly: readonly Difference[] = [
  {
    where: { secure: false },
    expects: 'no cookie',
    reason: 'http sends no cookie that is marked Secure (RFC 6265 §4.1.2.5)',
  },
];

export const cookies: readonly Situation[] = [
  set('none', withLink(), 'no cookie'),
  set('one', withLink(cookie('a=1')), 'a=1'),
  set('two fields', withLink(cookie('a=1'), cookie('b=2')), 'a=1; b=2'),
  set('the same twice', withLink(cookie('a=1'), cookie('a=2')), 'a=2'),
  set('all attributes', withLink(cookie('a=1; Path=/; Max-Age=600; HttpOnly; SameSite=Lax')), 'a=1'),
  set('Secure', withLink(cookie('a=1; Secure')), 'a=1', secureOnly),
  set('of another path', withLink(cookie('a=1; Path=/other')), 'no cookie'),
  set('of another domain', withLink(cookie('a=1; Domain=example.org')), 'no cookie'),
  set('that has ended', withLink(cookie('a=1; Max-Age=0')), 'no cookie'),
  set('a comma in its date', withLink(cookie('a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT'), cookie('b=2')), 'a=1; b=2'),
  set('on a redirect', empty(302, ['Location', next], cookie('a=1')), 'a=1'),
  {
    ...set('on a 404 before', answer(404, { fields: [cookie('a=1')] }), 'a=1'),
    ...{ seeds: ['/', next] },
  },
  {
    ...set('on a body that is cut', broken('in a chunk', 'close', withFields(cookie('a=1'))), 'a=1'),
    ...{ seeds: ['/', next] },
  },
];
