/** The default of an option as a person types it: `1d`, `127.0.0.1:8900`, never `86400000` or JSON. */
import type { Option } from 'commander';
import { durationText } from '../../runtime/option-text.ts';

/** undefined: the option has no default, or is a switch. */
export function defaultText(option: Option): string | undefined {
  const { defaultValue: value, defaultValueDescription: said, flags } = option;
  if (said !== undefined) return said;
  if (value === undefined || typeof value === 'boolean') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(',');
  if (typeof value === 'number' && flags.includes('<duration>')) return durationText(value);
  if (typeof value === 'object' && value !== null && 'port' in value) return addressText(value);
  return String(value);
}

function addressText(value: { readonly port?: unknown; readonly host?: unknown; readonly address?: unknown }): string {
  const host = `${value.host ?? value.address}`;
  return `${host.includes(':') ? `[${host}]` : host}:${value.port}`;
}
