/**
 * Amounts of money, exact: a currency (ISO 4217) and billionths of its unit. Texts are as `crawler-price` has them, `USD 0.01`.
 */

export interface Money {
  readonly currency: string;
  readonly billionths: bigint;
}

const unit = 1_000_000_000n;

/** The form of an amount in a policy or a header: no sign, no exponent, no digit that would be lost. */
export const amountPattern = /^\d{1,9}(?:\.\d{1,9})?$/;

/** Parses a text such as `USD 0.01`; null: it is not an amount above zero. */
export function parseMoney(text: string): Money | null {
  const [, currency = '', amount = ''] = /^([A-Z]{3}) ([\d.]{1,19})$/.exec(text) ?? [];
  if (!amountPattern.test(amount)) return null;
  const billionths = billionthsOf(amount);
  return billionths > 0n ? { currency, billionths } : null;
}

/** `amount` fits `amountPattern`. */
export function billionthsOf(amount: string): bigint {
  const [whole = '0', part = ''] = amount.split('.');
  return BigInt(whole) * unit + BigInt(part.padEnd(9, '0'));
}

export function moneyText({ currency, billionths }: Money): string {
  const digits = (billionths % unit).toString().padStart(9, '0');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const part = end === 0 ? '' : `.${digits.slice(0, end)}`;
  return `${currency} ${billionths / unit}${part}`;
}
