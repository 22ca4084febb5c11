/**
 * A visitor and their proofs, in a cookie that only the desk can make. A form also contains a seal of its visitor,
 * which a page of another site cannot know.
 */
import { randomBytes } from 'node:crypto';
import { deskLimits } from './desk-limits.ts';
import type { Sealer } from './sealed.ts';

export interface Proven {
  readonly hostKey: string;
  /** ms since the Unix epoch. */
  readonly untilMs: number;
  readonly how: 'dns' | 'file';
}

export interface Visit {
  readonly visitor: string;
  readonly proven: readonly Proven[];
}

export function newVisit(): Visit {
  return { visitor: randomBytes(18).toString('base64url'), proven: [] };
}

export function provenNow({ proven }: Visit, hostKey: string, nowMs: number): Proven | undefined {
  return proven.find((one) => one.hostKey === hostKey && one.untilMs > nowMs);
}

/** Adds a proof. If there are too many, the oldest are removed. */
export function withProof({ visitor, proven }: Visit, proof: Proven): Visit {
  const others = proven.filter(({ hostKey }) => hostKey !== proof.hostKey);
  return { visitor, proven: [...others, proof].slice(-deskLimits.hostsPerVisitorMax) };
}

export function writeVisit(sealer: Sealer, visit: Visit): string {
  const text = Buffer.from(JSON.stringify(visit)).toString('base64url');
  // The longest names may not fit together.
  if (text.length > textCharsMax) return writeVisit(sealer, { ...visit, proven: visit.proven.slice(1) });
  return `${text}.${sealer.seal('visit', text)}`;
}

/** Undefined if the cookie is not ours. Expired proofs are left out. */
export function readVisit(sealer: Sealer, cookie: string | undefined, nowMs: number): Visit | undefined {
  const [, text, seal] = /^([\w-]{1,3800})\.([\w-]{43})$/.exec(cookie ?? '') ?? [];
  if (text === undefined || seal === undefined || !sealer.isSealOf(seal, 'visit', text)) return undefined;
  const { visitor, proven } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Visit;
  return { visitor, proven: proven.filter(({ untilMs }) => untilMs > nowMs) };
}

/** Together with seal, name and attributes, this is below the browsers' limit of 4,096. */
const textCharsMax = 3_800;

/** Days for which a browser keeps the cookie: a returning visitor finds their challenge. */
const keptDays = 30;

export interface Cookies {
  read(header: string | undefined): string | undefined;
  /** Value of `set-cookie`. */
  write(value: string): string;
}

/** `isSecure`: visitors come over TLS. The name's prefix then keeps other hosts of the domain from setting it. */
export function visitCookies(isSecure: boolean): Cookies {
  const name = isSecure ? '__Host-crawlstream-desk' : 'crawlstream-desk';
  const attributes = `Path=/; Max-Age=${keptDays * 86_400}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (header = '') =>
      header
        .split(/; */)
        .find((one) => one.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    write: (value) => `${name}=${value}; ${attributes}`,
  };
}
