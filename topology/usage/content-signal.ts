/**
 * Parses `Content-Signal` of the content signals policy (contentsignals.org, draft-romm-aipref-contentsignals-00, 1
 * October 2025).
 *
 * Example: `search=yes, ai-train=no`, comma-separated, case-insensitive. A value other than yes or no has no effect. If
 * a use has both, `no` wins.
 */
import { type Statement, statement, type Use } from './statement.ts';

const signals: ReadonlyMap<string, Use> = new Map<string, Use>([
  ['search', 'search'],
  ['ai-input', 'ai-input'],
  ['ai-train', 'ai-train'],
]);
const answers = new Map([
  ['yes', true],
  ['y', true],
  ['no', false],
  ['n', false],
]);

export function contentSignal(value: string, source: string, said: string): Statement[] {
  return [...preferencesIn(value)].flatMap(([use, allowed]) =>
    allowed === null ? [] : [statement(use, allowed ? 'allow' : 'deny', source, said)],
  );
}

/** Returns the uses with a value that is neither yes nor no. */
export function unreadSignals(value: string): readonly Use[] {
  return [...preferencesIn(value)].flatMap(([use, allowed]) => (allowed === null ? [use] : []));
}

/** Preference by use. Null: neither yes nor no. */
function preferencesIn(value: string): ReadonlyMap<Use, boolean | null> {
  const preferences = new Map<Use, boolean | null>();
  for (const pair of value.toLowerCase().split(',')) {
    const equals = pair.indexOf('=');
    const use = equals < 0 ? undefined : signals.get(pair.slice(0, equals).trim());
    if (use === undefined) continue;
    const answer = answers.get(pair.slice(equals + 1).trim());
    const before = preferences.get(use);
    preferences.set(use, answer === false || before === false ? false : (answer ?? before ?? null));
  }
  return preferences;
}
