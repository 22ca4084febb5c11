/**
 * An option of a service. It can be set by flag, file and environment (config/settings.ts), and so it states the reason
 * of its default, which the reference page and the example file show.
 */
import { Option } from 'commander';

export class Setting extends Option {
  readonly reason: string;
  /** A resume of a crawl does not take it over. */
  isForOneRun = false;

  constructor(flags: string, about: string, reason: string) {
    super(flags, about);
    this.reason = reason;
  }

  forOneRun(): this {
    this.isForOneRun = true;
    return this;
  }
}

/** `parse` is as in commander: it takes the text and, for an option that may be repeated, the value so far. */
export function setting<T>(
  flags: string,
  about: string,
  reason: string,
  parse?: (text: string, before: T) => T,
): Setting {
  const made = new Setting(flags, about, reason);
  return parse === undefined ? made : (made.argParser(parse) as Setting);
}

/** The reason of a service option's default. */
export function reasonOf(option: Option): string {
  return option instanceof Setting ? option.reason : '';
}
