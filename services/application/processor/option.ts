/** Kinds of options of processors: schemas over the text of a flag, with errors that say what to type instead. */
import { z } from 'zod';
import { takes } from '../../runtime/value-schema.ts';

export function wholeNumber(least: number, most: number) {
  const schema = z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
      `give a whole number from ${least} to ${most}`,
    )
    .transform(Number);
  return takes.wholeNumber(least, most, schema);
}

export function oneOf<const T extends string>(choices: readonly T[]) {
  return takes.oneOf(choices, z.enum(choices, `give one of ${choices.join(', ')}`));
}

export function text(isRight: (text: string) => boolean, remedy: string) {
  return z.string().refine(isRight, remedy);
}
