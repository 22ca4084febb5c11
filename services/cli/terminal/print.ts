/** Prints the answers of commands: rows of name and value for people, one line of JSON for programs. */
import { toStdout } from '../../runtime/logging/door.ts';

export interface Answer {
  /** Printed with `--json`, on one line. */
  readonly json: unknown;
  readonly text: string;
}

export function print({ json, text }: Answer, asJson: boolean | undefined): void {
  toStdout(`${asJson === true ? JSON.stringify(json) : text}\n`);
}
