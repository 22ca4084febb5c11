/** Plays the conformance cases on URLs, where their folder stands beside the project. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { normalizeUrl, registrableDomain, resolveUrl } from '../../conformance/url-adapters.ts';

const folder = new URL('../../../../shared/corpora/', import.meta.url);
const skip = existsSync(folder) ? false : 'the corpora are not here';

interface Case {
  readonly id: string;
  readonly kind: string;
  readonly input: string;
  readonly base: string | null;
  readonly profile?: string;
  readonly class?: string;
  readonly expected: unknown;
}

function casesOf(file: string): Case[] {
  return readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Case);
}

test('URLs parse as the web platform tests say, but for exotic IDNA', { skip }, () => {
  for (const { id, input, base, expected } of casesOf('urls-wpt.jsonl')) {
    const { href } = expected as { readonly href?: string };
    if (/xn--|\P{ASCII}/iu.test(`${input}${href}`)) continue;
    assert.equal(resolveUrl(input, base ?? undefined), href?.replace(/#.*$/s, '') ?? null, id);
  }
});

test('links resolve as RFC 3986 and the crawlers’ own tests say', { skip }, () => {
  for (const { id, input, base, expected } of casesOf('urls-resolve.jsonl')) {
    const wanted = new URL((expected as string).replace(/#.*$/s, '')).href;
    assert.equal(resolveUrl(input, base ?? undefined), wanted, id);
  }
});

/** Where we chose otherwise than crawler-commons; the reasons are in normalize.ts. */
const ourChoice: Readonly<Record<string, string | null>> = {
  'http:////': null,
  'foo.com/index.html': null,
  'http://foo.com/index?a=1&b=': 'http://foo.com/index?a=1&b=',
  'http://foo.com/index?&=1&a=1': 'http://foo.com/index?=1&a=1',
  'http://foo.com/index?=1&b=1&a=1': 'http://foo.com/index?=1&a=1&b=1',
  'https://xn--90ax2c.xn--p1ai/': 'https://xn--90ax2c.xn--p1ai/',
  'http://schöne.xn--bcher-kva.de/': 'http://xn--schne-lua.xn--bcher-kva.de/',
};

test('URLs normalise as in crawler-commons, but for the choices listed', { skip }, () => {
  for (const { id, input, profile, expected } of casesOf('urls-normalize.jsonl')) {
    if (profile !== 'crawler-commons') continue;
    const wanted = Object.hasOwn(ourChoice, input) ? ourChoice[input] : expected;
    assert.equal(normalizeUrl(input), wanted, id);
  }
});

test('registrable domains follow the public suffix list', { skip }, () => {
  for (const { id, input, expected } of casesOf('psl.jsonl')) {
    if (!input.startsWith('.')) assert.equal(registrableDomain(input), expected, id);
  }
});
