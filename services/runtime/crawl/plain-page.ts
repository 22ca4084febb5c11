/** A page as JSON: its bytes are base64. */
import type { Page } from '../../../schemas/types.ts';

/** The record of a page (docs/page-record.md) in JSON. */
export interface PlainPage extends Omit<Page, 'screenshot'> {
  /** A JPEG in base64. Empty: there is none. */
  readonly screenshot: string;
}

export function plainPage(page: Page): PlainPage {
  return { ...page, screenshot: base64(page.screenshot) };
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
