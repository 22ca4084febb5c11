/**
 * Metadata of a page for machines: Open Graph and similar (`<meta property>`, `<meta name="twitter:…">`), and JSON-LD
 * (W3C, "JSON-LD 1.1" §8.5, data blocks in HTML). Values are kept as the page has them.
 */

import { jsonWithoutNul } from '../../content/without-nul.ts';
import { parseJson, parseLenientJson } from './lenient-json.ts';
import type { Attributes } from './markup.ts';
import { richLimits } from './rich-limits.ts';

export interface Metadata {
  /** Property in lower case → its values, in order. */
  readonly openGraph: Readonly<Record<string, readonly string[]>>;
  readonly jsonLd: readonly unknown[];
  /** Number of blocks that are too large, or invalid JSON even when read leniently (lenient-json.ts). */
  readonly jsonLdBroken: number;
}

const ours = /^(og|article|book|profile|video|music|product|fb|al|twitter):[\w:.-]+$/;

export interface MetadataReader {
  open(name: string, attributes: Attributes): void;
  /** Text of a script or style. */
  rawText(text: string): void;
  close(name: string): void;
  finish(): Metadata;
}

export function createMetadataReader(): MetadataReader {
  const openGraph = new Map<string, string[]>();
  const jsonLd: unknown[] = [];
  let jsonLdBroken = 0;
  let block: string | null = null;
  let values = 0;
  let lenientChars = 0;
  /** Undefined: not JSON, or there is no time for a closer look. */
  const read = (text: string): unknown => {
    const value = text.length > richLimits.jsonLdCharsMax ? undefined : parseJson(text);
    if (value !== undefined) return value;
    lenientChars += text.length;
    return lenientChars > richLimits.jsonLdLenientCharsMax ? undefined : parseLenientJson(text);
  };
  return {
    open(name, attributes) {
      if (name === 'script') {
        const type = (attributes.get('type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
        block = type === 'application/ld+json' ? '' : null;
      } else if (name === 'meta') {
        const property = (attributes.get('property') ?? attributes.get('name') ?? '').trim().toLowerCase();
        if (!ours.test(property) || values >= richLimits.metadataValuesMax) return;
        values += 1;
        const value = (attributes.get('content') ?? '').trim();
        openGraph.set(property, [...(openGraph.get(property) ?? []), value]);
      }
    },
    rawText(text) {
      if (block !== null) block += text;
    },
    close(name) {
      if (name !== 'script' || block === null) return;
      const text = block;
      block = null;
      if (jsonLd.length >= richLimits.jsonLdBlocksMax) return;
      const parsed = read(text);
      if (parsed === undefined) jsonLdBroken += 1;
      else jsonLd.push(parsed);
    },
    finish: () => ({ openGraph: Object.fromEntries(openGraph), jsonLd, jsonLdBroken }),
  };
}

/**
 * The metadata for a page's record, bounded by leaving out the last JSON-LD blocks. Empty: nothing was asked for, or
 * found.
 */
export function metadataJson(metadata: Metadata | null): string {
  if (metadata === null) return '';
  const { openGraph, jsonLd, jsonLdBroken } = metadata;
  if (jsonLd.length === 0 && jsonLdBroken === 0 && Object.keys(openGraph).length === 0) return '';
  for (let kept = jsonLd.length; kept >= 0; kept--) {
    const json = jsonWithoutNul(JSON.stringify({ openGraph, jsonLd: jsonLd.slice(0, kept), jsonLdBroken }));
    if (json.length <= richLimits.metadataCharsMax) return json;
  }
  return '';
}
