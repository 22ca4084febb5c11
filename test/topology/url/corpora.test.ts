/** Plays the conformance cases on URLs, where their folder stands beside the project. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { corpusFile, corporaSkip as skip } from '../../conformance/corpora.ts';
import { normalizeUrl, registrableDomain, resolveUrl } from '../../conformance/url-adapters.ts';

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
  return readFileSync(corpusFile(file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Case);
}

test('URLs parse as in the web platform tests, except for exotic IDNA', { skip }, () => {
  for (const { id, input, base, expected } of casesOf('urls-wpt.jsonl')) {
    const { href } = expected as { readonly href?: string };
    if (/xn--|\P{ASCII}/iu.test(`${input}${href}`)) continue;
    assert.equal(resolveUrl(input, base ?? undefined), href?.replace(/#.*$/s, '') ?? null, id);
  }
});

test('links resolve as in RFC 3986 and other crawlers’ tests', { skip }, () => {
  for (const { id, input, base, expected } of casesOf('urls-resolve.jsonl')) {
    const wanted = new URL((expected as string).replace(/#.*$/s, '')).href;
    assert.equal(resolveUrl(input, base ?? undefined), wanted, id);
  }
});

/** Every case in which we chose otherwise than crawler-commons, and why (also in normalize.ts). */
const ourChoices: Readonly<Record<string, readonly [ours: string | null, because: string]>> = {
  'http:////': [null, 'it has no host, so there is nothing to fetch'],
  'foo.com/index.html': [null, 'in a page this is a relative link; only a seed may lack its scheme'],
  'http://foo.com/index?a=1&b=': ['http://foo.com/index?a=1&b=', 'a server may tell b= from b; the seen key does not'],
  'http://foo.com/index?&=1&a=1': ['http://foo.com/index?=1&a=1', 'a value without a name is still sent to the server'],
  'http://foo.com/index?=1&b=1&a=1': [
    'http://foo.com/index?=1&a=1&b=1',
    'a value without a name is still sent to the server',
  ],
  'https://xn--90ax2c.xn--p1ai/': [
    'https://xn--90ax2c.xn--p1ai/',
    'a host stays in ASCII, as DNS, TLS and Host headers have it, and so host keys',
  ],
  'http://schöne.xn--bcher-kva.de/': ['http://xn--schne-lua.xn--bcher-kva.de/', 'as above'],
};

test('URLs normalise as in crawler-commons, except for the listed differences', { skip }, () => {
  const differ: string[] = [];
  for (const { id, input, profile, expected } of casesOf('urls-normalize.jsonl')) {
    if (profile !== 'crawler-commons') continue;
    const choice = ourChoices[input];
    assert.equal(normalizeUrl(input), choice === undefined ? expected : choice[0], id);
    if (choice !== undefined && choice[0] !== expected) differ.push(input);
  }
  assert.deepEqual(new Set(differ), new Set(Object.keys(ourChoices)), 'no choice is listed that makes no difference');
});

test('registrable domains follow the public suffix list', { skip }, () => {
  for (const { id, input, expected } of casesOf('psl.jsonl')) {
    if (!input.startsWith('.')) assert.equal(registrableDomain(input), expected, id);
  }
});
