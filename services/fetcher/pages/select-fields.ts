/**
 * Fields that a user's CSS selectors take from a page. The only file that knows linkedom.
 *
 * linkedom misses upper-case attribute names and is quadratic on deep nesting: it is given tidy markup
 * (`topology/parse/rich/tidy-markup.ts`), lower-cased and at most so deep.
 */
import { createRequire } from 'node:module';
import { type FieldType, fieldValue } from '../../../topology/parse/rich/field-value.ts';
import { richLimits } from '../../../topology/parse/rich/rich-limits.ts';

type Linkedom = typeof import('linkedom');

let linkedom: Linkedom | undefined;

/** Its 200 modules are loaded when the first selector is used: most crawls have none. */
function parseHTML(markup: string): ReturnType<Linkedom['parseHTML']> {
  linkedom ??= createRequire(import.meta.url)('linkedom') as Linkedom;
  return linkedom.parseHTML(markup);
}

export interface FieldRule {
  readonly name: string;
  readonly selector: string;
  /** Empty: the element's text. */
  readonly attribute: string;
  readonly type: FieldType;
  /** True: values of all elements that fit; otherwise only of the first. */
  readonly all: boolean;
}

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** In the canonical form of the type. */
  readonly values: readonly string[];
  /** Why there are fewer values than elements. Empty: there are not. */
  readonly problem: string;
}

export function selectFields(markup: string, base: string, rules: readonly FieldRule[]): Field[] {
  // Without its own body, linkedom would take the first element for the root.
  const { document } = parseHTML(/^<html[\s>]/.test(markup) ? markup : `<html><body>${markup}</body></html>`);
  let charsLeft = richLimits.fieldsCharsMax;
  return rules.map((rule) => {
    const { name, type } = rule;
    const found = [...document.querySelectorAll(rule.selector)].slice(0, rule.all ? richLimits.fieldValuesMax : 1);
    const values: string[] = [];
    let problem = '';
    for (const element of found) {
      const text = rule.attribute === '' ? element.textContent : element.getAttribute(rule.attribute);
      if (text === null) continue;
      const read = fieldValue(text, type, base);
      if ('problem' in read) problem ||= read.problem;
      else if (read.value.length > charsLeft) problem ||= tooMuch;
      else {
        values.push(read.value);
        charsLeft -= read.value.length;
      }
    }
    return { name, type, values, problem };
  });
}

const tooMuch = `all fields of a page may have ${richLimits.fieldsCharsMax} characters together`;

/** Null: the selector is valid. Otherwise the problem. */
export function selectorProblem(selector: string): string | null {
  try {
    parseHTML('<html><body></body></html>').document.querySelectorAll(selector);
    return null;
  } catch (error) {
    return (error as Error).message.split('\n', 1)[0]!;
  }
}
