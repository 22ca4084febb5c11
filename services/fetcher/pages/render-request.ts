/**
 * Selects pages that need a browser, and makes the record of `render` for them.
 *
 * `always`, or `thin`: the page has scripts and next to no text, as pages do that a script builds. The record contains
 * the fetched page: the browser does not request it again.
 */
import { z } from 'zod';
import type { Page, Render, Task } from '../../../schemas/types.ts';
import { hostFits, hostPatternSchema } from '../connect/host-pattern.ts';
import type { HttpResponse } from '../http/client.ts';

export const renderRuleSchema = z.strictObject({
  hosts: z.array(hostPatternSchema).min(1),
  when: z.enum(['always', 'thin']).default('thin'),
});

export type RenderRule = z.infer<typeof renderRuleSchema>;

/** A page with less text is thin. Titles, cookie notes and `enable JavaScript` are shorter. */
const thinChars = 250;
/** Brokers refuse messages above 1 MB; pages that scripts build are small. */
const bodyBytesMax = 700_000;

/** Null: it needs none. */
export function renderRequest(
  rules: readonly RenderRule[],
  page: Page,
  task: Pick<Task, 'delayMs'>,
  response: HttpResponse,
): Render | null {
  if (!/^(text\/html|application\/xhtml\+xml)$/.test(page.contentType) || response.body.length > bodyBytesMax)
    return null;
  const { hostname } = new URL(page.url);
  const wanted = rules.some(
    ({ hosts, when }) =>
      hosts.some((pattern) => hostFits(pattern, hostname)) && (when === 'always' || isThin(page, response.body)),
  );
  if (!wanted) return null;
  const { url, hostKey, depth, status, fetchedAtMs, tags } = page;
  const { headers, body } = response;
  const usage = page.usage.length === 0 ? '' : JSON.stringify(page.usage);
  const fetched = { url, hostKey, depth, fetchedAtMs, status, headers: [...headers], body };
  return { ...fetched, delayMs: task.delayMs, usage, tags };
}

function isThin({ text }: Page, body: Buffer): boolean {
  return text.length < thinChars && /<script[\s>]/i.test(body.toString('latin1'));
}
