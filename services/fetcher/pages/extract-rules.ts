/**
 * The user's rules for extracting more than links and text from pages (`--extract FILE`), and the rules for one page.
 * Off by default: each part costs time on every page.
 */
import { z } from 'zod';
import { fieldTypes } from '../../../topology/parse/rich/field-value.ts';
import { richLimits } from '../../../topology/parse/rich/rich-limits.ts';
import type { RichWanted } from '../../../topology/parse/rich/rich-page.ts';
import { hostFits, hostPatternSchema } from '../connect/host-pattern.ts';
import type { DocumentReader } from './document-reader.ts';
import { renderRuleSchema } from './render-request.ts';
import { type FieldRule, selectorProblem } from './select-fields.ts';

const fieldSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][\w.-]{0,63}$/, 'use letters, digits, _ . or - in a name, and start with a letter'),
  hosts: z.array(hostPatternSchema).min(1).default(['*']),
  selector: z
    .string()
    .min(1)
    .superRefine((selector, context) => {
      const problem = selectorProblem(selector);
      if (problem !== null) context.addIssue({ code: 'custom', message: `is not a CSS selector: ${problem}` });
    }),
  attribute: z
    .string()
    .regex(/^[a-z_:][\w:.-]*$/, 'is not a lower-case attribute name')
    .default(''),
  type: z.enum(fieldTypes).default('string'),
  all: z.boolean().default(false),
});

const rules = {
  mainText: z.boolean().default(false),
  /** The main text with its headings, lists, tables, code and links. */
  markdown: z.boolean().default(false),
  language: z.boolean().default(false),
  metadata: z.boolean().default(false),
  links: z
    .strictObject({
      images: z.boolean().default(false),
      scripts: z.boolean().default(false),
      data: z.boolean().default(false),
    })
    .default({ images: false, scripts: false, data: false }),
  /** Pages that a browser runs first (`crawlstream render`, or `crawl --with render`). */
  render: z.array(renderRuleSchema).min(1).optional(),
  fields: z.array(fieldSchema).max(richLimits.fieldsMax).default([]),
};

export const extractRulesSchema = z.strictObject(rules);

export type ExtractRules = z.infer<typeof extractRulesSchema>;

/** Also has a field for each reader, which switches it on. */
export function extractRulesWith(readers: readonly DocumentReader[]): typeof extractRulesSchema {
  const switches = Object.fromEntries(readers.map(({ name }) => [name, z.boolean().default(false)]));
  return z.strictObject({ ...rules, ...switches });
}

/** Returns the readers that the rules switch on. */
export function wantedReaders(readers: readonly DocumentReader[], given: ExtractRules): DocumentReader[] {
  return readers.filter(({ name }) => (given as Readonly<Record<string, unknown>>)[name] === true);
}

/** Extraction options of one page. Plain data: it goes to the worker too. */
export interface PageWishes {
  readonly wanted: RichWanted;
  readonly fields: readonly FieldRule[];
}

/** By host; undefined: nothing. */
export function compileExtractRules(rules: ExtractRules): (hostname: string) => PageWishes | undefined {
  const { mainText, markdown, language, metadata, links } = rules;
  const always = mainText || markdown || language || metadata || links.images || links.scripts || links.data;
  return (hostname) => {
    const fields = rules.fields.filter(({ hosts }) => hosts.some((pattern) => hostFits(pattern, hostname)));
    if (!always && fields.length === 0) return undefined;
    return {
      wanted: { mainText, markdown, language, metadata, mediaLinks: links, tidyMarkup: fields.length > 0 },
      fields,
    };
  };
}
