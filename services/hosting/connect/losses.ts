/** Counts what a reader skipped in a damaged data folder (--skip-damaged), and prints it on stderr at the end. */

import { counted } from '../../runtime/counted.ts';
import type { OnLost } from '../../runtime/log/embedded-reader.ts';
import type { Damage } from '../../runtime/log/read-only.ts';
import { toStderr } from '../../runtime/logging/door.ts';
import type { LogDamage } from '../../runtime/store/write-ahead-log.ts';

export class Losses implements Damage {
  /** For each topic and partition: the offset up to which losses were counted, and the number of lost records. */
  readonly #records = new Map<string, { to: number; count: number }>();
  #file: LogDamage | undefined;

  /** A partition may be read twice. */
  readonly onRecords: OnLost = ({ partition, from, to }) => {
    const name = `${partition.topic}/${partition.partition}`;
    const known = this.#records.get(name) ?? { to: 0, count: 0 };
    known.count += Math.max(0, to - Math.max(from, known.to));
    known.to = Math.max(known.to, to);
    this.#records.set(name, known);
  };

  readonly onFile = (damage: LogDamage): void => {
    this.#file = damage;
  };

  report(): void {
    const all = [...this.#records].filter(([, { count }]) => count > 0);
    const sum = all.reduce((total, [, { count }]) => total + count, 0);
    const where = all.map(([name, { count }]) => `${count} of ${name}`).join(', ');
    toStderr(`skipped as damaged: ${counted(sum, 'record')}${where === '' ? '' : ` (${where})`}\n`);
    if (this.#file === undefined) return;
    const { file, offset, bytesBehind } = this.#file;
    toStderr(
      `skipped as damaged: the ${bytesBehind} bytes of ${file} from byte ${offset} on; the number of records in them is unknown\n`,
    );
  }
}
