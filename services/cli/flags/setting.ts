/**
 * An option of a service. It is a setting too (config/settings.ts), by flag, file and environment, and so it says why it is
 * what it is when nobody sets it: the page of reference and the example file tell.
 */
import { Option } from 'commander';

export class Setting extends Option {
  readonly reason: string;

  constructor(flags: string, about: string, reason: string) {
    super(flags, about);
    this.reason = reason;
  }
}

/** `parse`: as commander's: the text and, of one that may be repeated, what was made of those before. */
export function setting<T>(
  flags: string,
  about: string,
  reason: string,
  parse?: (text: string, before: T) => T,
): Setting {
  const made = new Setting(flags, about, reason);
  return parse === undefined ? made : (made.argParser(parse) as Setting);
}

/** Why a service's option is what it is when nobody sets it. */
export function reasonOf(option: Option): string {
  return option instanceof Setting ? option.reason : '';
}
