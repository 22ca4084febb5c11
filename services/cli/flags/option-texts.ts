/** Texts of options and arguments in help and reference: description, choices, and the default as a person types it. */
import type { Argument, Option } from 'commander';
import { durationText } from '../../runtime/option-text.ts';

export function optionDescription(option: Option): string {
  return withNotes(option.description, option.argChoices, defaultText(option));
}

export function argumentDescription({ description, argChoices, defaultValue }: Argument): string {
  return withNotes(description, argChoices, defaultValue === undefined ? undefined : String(defaultValue));
}

/** Adds the choices and the default, unless the description has them. */
function withNotes(description: string, choices: readonly string[] = [], value: string | undefined): string {
  const isUnnamed = choices.some((choice) => !description.includes(choice));
  const notes = [
    ...(isUnnamed ? [`one of ${choices.join(', ')}`] : []),
    ...(value === undefined || description.includes('(default: ') ? [] : [`default: ${value}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/** As in `1d` and `127.0.0.1:8900`, never `86400000` or JSON. undefined: no default, an empty one, or a switch. */
export function defaultText(option: Option): string | undefined {
  const { defaultValue: value, defaultValueDescription: said, flags } = option;
  if (said !== undefined) return said;
  if (value === undefined || value === '' || typeof value === 'boolean') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(',');
  if (typeof value === 'number' && flags.includes('<duration>')) return durationText(value);
  if (typeof value === 'object' && value !== null && 'port' in value) return addressText(value);
  return String(value);
}

function addressText(value: { readonly port?: unknown; readonly host?: unknown; readonly address?: unknown }): string {
  const host = `${value.host ?? value.address}`;
  return `${host.includes(':') ? `[${host}]` : host}:${value.port}`;
}
