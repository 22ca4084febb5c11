/**
 * Parses `Content-Usage` in robots.txt, headers and meta elements: preferences of the IETF working group aipref.
 *
 * Sources: draft-ietf-aipref-attach-05 (19 August 2026) for the places, draft-ietf-aipref-vocab-07 (19 August 2026) for
 * the vocabulary. Two groups of categories are added: those of draft-romm-aipref-contentsignals-00, and those of
 * earlier revisions of the vocabulary, which can bar uses and never allow any. If a key appears twice, the draft takes
 * the last value; here an `n` among them wins, as everywhere.
 */
import { parseTokens } from './dictionary.ts';
import { type Statement, statement, type Use } from './statement.ts';

const labels: ReadonlyMap<string, readonly Use[]> = new Map<string, readonly Use[]>([
  ['train-ai', ['ai-train']],
  ['search', ['search']],
  ['ai-train', ['ai-train']],
  ['ai-input', ['ai-input']],
]);

/** Labels of draft-ietf-aipref-vocab-00 to -05. */
const earlierLabels: ReadonlyMap<string, readonly Use[]> = new Map<string, readonly Use[]>([
  ['bots', ['search', 'ai-input', 'ai-train']],
  ['tdm', ['ai-input', 'ai-train']],
  ['ai', ['ai-input', 'ai-train']],
  ['genai', ['ai-train']],
  ['train-genai', ['ai-train']],
  ['ai-output', ['ai-input']],
]);

/** `values`: the lines of one field, which are one dictionary. If they are none, single lines can still bar uses. */
export function contentUsage(values: readonly string[], source: string, said: string): Statement[] {
  const whole = statementsIn(values.join(', '), source, said);
  if (whole !== null) return whole;
  return values
    .flatMap((value) => statementsIn(value, source, value) ?? [])
    .filter(({ preference }) => preference === 'deny');
}

/** Returns the uses with unreadable values. Null: the value is not a dictionary. */
export function unreadUses(value: string): readonly Use[] | null {
  const tokens = parseTokens(value);
  if (tokens === null) return null;
  return [...tokens].flatMap(([label, given]) =>
    given.includes('n') || given.at(-1) === 'y' ? [] : (labels.get(label) ?? []),
  );
}

function statementsIn(value: string, source: string, said: string): Statement[] | null {
  const tokens = parseTokens(value);
  if (tokens === null) return null;
  const found: Statement[] = [];
  for (const [label, given] of tokens) {
    const bars = given.includes('n');
    const allows = !bars && given.at(-1) === 'y';
    if (!bars && !allows) continue;
    const about = labels.get(label) ?? (bars ? (earlierLabels.get(label) ?? []) : []);
    for (const use of about) found.push(statement(use, bars ? 'deny' : 'allow', source, said));
  }
  return found;
}
