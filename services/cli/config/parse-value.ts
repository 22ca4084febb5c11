/** A value of a file or of the environment, parsed as the option would have parsed it on a command line. */
import type { Option } from 'commander';
import { bad } from '../../runtime/option-text.ts';
import { isRepeated } from '../flags/arguments.ts';

/** Throws INVALID_ARGUMENT, as the option's own parser does. */
export function parseValue(option: Option, value: unknown): unknown {
  const { long } = option;
  const name = long ?? option.name();
  if (isSwitch(option)) {
    if (typeof value !== 'boolean') throw bad(name, textOf(value), 'give true or false');
    return value;
  }
  if (option.optional && typeof value === 'boolean') return value;
  const texts = (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    if (typeof one === 'string' || typeof one === 'number') return String(one);
    throw bad(name, textOf(one), 'give a text or a number, or a list of them');
  });
  const parse = (text: string, before?: unknown) => option.parseArg?.(text, before) ?? text;
  // A repeated option takes one after the other; others take lists with commas.
  if (!isRepeated(option.parseArg)) return parse(texts.join(','));
  return texts.reduce<unknown>((before, text) => parse(text, before), undefined);
}

/**
 * Parses a value of the environment: there, all values are text, and those of a repeated option are separated by line
 * breaks.
 */
export function parseText(option: Option, text: string): unknown {
  if (isSwitch(option) || (option.optional && /^(true|false|0|1)$/.test(text))) {
    const on = { true: true, '1': true, false: false, '0': false }[text];
    return parseValue(option, on ?? text);
  }
  return parseValue(option, isRepeated(option.parseArg) ? text.split('\n').filter((line) => line !== '') : text);
}

/** `--responses`, `--no-traps`: on or off. */
export function isSwitch(option: Option): boolean {
  return option.isBoolean() || option.negate;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
