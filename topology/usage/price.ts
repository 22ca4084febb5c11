/**
 * What a 402 names as its price. Nothing is ever paid; whoever reads the outcome knows what was asked.
 *
 * Sources: `crawler-price` of Cloudflare's pay per crawl; `payment-required` of x402 (base64 of JSON with `accepts`);
 * `link` with rel=license of RSL 1.0 (10 December 2025). What cannot be read names no price.
 */

const charsMax = 200;

/** `headers`: names in lower case and values in turn. In plain words; empty: no price is named. */
export function priceNamed(headers: readonly string[]): string {
  const said: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1]!;
    if (headers[i] === 'crawler-price' && /^[A-Z]{3} \d{1,9}(?:\.\d{1,9})?$/.test(value)) said.push(`price ${value}`);
    if (headers[i] === 'payment-required') said.push(...x402Price(value));
    if (headers[i] === 'link') {
      const url = licenceIn(value);
      if (url !== undefined) said.push(`licence ${url}`);
    }
  }
  return [...new Set(said)].join(', ').slice(0, charsMax);
}

/** The first link whose relation is `license`. */
function licenceIn(value: string): string | undefined {
  for (const part of value.split('<').slice(1)) {
    const end = part.indexOf('>');
    const parameters = part.slice(end + 1).trimStart();
    if (end < 0 || !/^https?:\/\/[^\s]+$/i.test(part.slice(0, end)) || !parameters.startsWith(';')) continue;
    if (/\brel="?license"?(?:[\s;]|$)/i.test(parameters.split(',', 1)[0]!)) return part.slice(0, end);
  }
  return undefined;
}

function x402Price(value: string): string[] {
  try {
    const { accepts } = JSON.parse(Buffer.from(value, 'base64').toString('utf8')) as { readonly accepts?: unknown };
    if (!Array.isArray(accepts)) return [];
    const [first] = accepts as ({
      readonly amount?: unknown;
      readonly asset?: unknown;
      readonly network?: unknown;
    } | null)[];
    const words = [first?.amount, first?.asset, first?.network].filter((one) => typeof one === 'string');
    return typeof first?.amount === 'string' ? [`price ${words.join(' ')}`] : [];
  } catch {
    return [];
  }
}
