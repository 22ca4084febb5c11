/** Character references (HTML standard §13.5), behind one door: the `entities` package, linear in its input. */
import { decodeHTML, decodeHTMLAttribute, decodeXML } from 'entities';

export function decodeText(raw: string): string {
  return raw.includes('&') ? decodeHTML(raw) : raw;
}

export function decodeAttribute(raw: string): string {
  return raw.includes('&') ? decodeHTMLAttribute(raw) : raw;
}

/** The five predefined entities and numeric references; others, declared or not, stay as they are. */
export function decodeXmlText(raw: string): string {
  return raw.includes('&') ? decodeXML(raw) : raw;
}
