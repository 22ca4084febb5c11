/** Does a line keep to the one schema? Closed: a field that the schema does not have is a fault. */
import assert from 'node:assert/strict';
import { always, attributeNames, sometimes } from '../../../../services/runtime/logging/log-line.ts';

export type JsonLine = Readonly<Record<string, unknown>> & { readonly msg: string; readonly component: string };

/** Throws with the first field that is missing, unknown, or of another type. */
export function logLines(text: string): JsonLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const reported = JSON.parse(line) as JsonLine;
      for (const [name, [type]] of Object.entries(always))
        assert.equal(typeof reported[name], type, `${name} of ${line}`);
      for (const [name, value] of Object.entries(reported)) {
        if (name in always || attributeNames.test(name) || value === null) continue;
        const known = sometimes[name as keyof typeof sometimes];
        assert.ok(known !== undefined, `${name} is a field of no schema: ${line}`);
        assert.equal(typeof value, known[0], `${name} of ${line}`);
      }
      return reported;
    });
}

/** Of all that a command printed, its log: a summary on stdout is for people. */
export function jsonOf(output: string): string {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .join('\n');
}
