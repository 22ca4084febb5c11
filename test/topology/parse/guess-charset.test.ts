/** The encoding of a page that names none, by the text that readers see. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guessCharset } from '../../../topology/parse/guess-charset.ts';

const russian =
  'Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью ' +
  'и должны поступать в отношении друг друга в духе братства. ';

/** Cyrillic in one byte a letter: the alphabet from `first` on, and `yo` apart. */
function bytesOf(text: string, first: number, yo: number): Buffer {
  return Buffer.from(
    Array.from(text, (char) => {
      const code = char.codePointAt(0)!;
      return char === 'ё' ? yo : code < 0x80 ? code : code - 0x410 + first;
    }),
  );
}
const windows = (text: string) => bytesOf(text, 0xc0, 0xb8);
const iso = (text: string) => bytesOf(text, 0xb0, 0xf1);
const guess = (...parts: readonly (string | Buffer)[]) =>
  guessCharset(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))));

describe('a page that names no encoding', () => {
  it('a page that names no encoding is guessed by its text, with tags or without', () => {
    assert.equal(guess(windows(russian)), 'windows-1251');
    assert.equal(guess(iso(russian)), 'iso-8859-5');
    assert.equal(guess('<html><p>', windows(russian), '</p>'), 'windows-1251');
    assert.equal(guess(windows(russian), '<p>text'), 'windows-1251', 'before the first tag');
    assert.equal(guess('<p>text</p>', windows(russian)), 'windows-1251', 'behind the last');
  });

  it('a page that names no encoding is guessed by text in its own language, whatever English stands around it', () => {
    const menu = '<li>Home and about us and contact'.repeat(2_000);
    assert.equal(guess(menu, '<p>', windows(russian), '</p>', menu), 'windows-1251');
    const pieces = russian.split(' ').flatMap((word) => ['<b>', windows(word), '</b>']);
    assert.equal(guess(...pieces), 'windows-1251', 'word by word');
  });

  it('a page that names no encoding is not guessed by its tags', () => {
    const attribute = ['<p title="', iso(russian.repeat(20)), '">'] as const;
    assert.equal(guess(...attribute, windows(russian), '</p>'), 'windows-1251');
    assert.equal(guess(...attribute, 'text'), null);
    assert.equal(
      guess('<p>', windows(russian), '</p><p title="', iso(russian.repeat(20))),
      'windows-1251',
      'nor in one that is cut',
    );
  });

  it('a page that names no encoding is guessed by the first eight thousand bytes of such text', () => {
    const [first, rest] = [windows(russian.repeat(60)), iso(russian.repeat(400))];
    assert.ok(first.length > 8_192 && rest.length > 40_000);
    assert.equal(guess(first, rest), 'windows-1251');
    assert.equal(guess('<p>', first, '</p><p>', rest), 'windows-1251');
    assert.equal(guess('<p>', windows(russian), '</p><p>', rest), guess('<p>', rest), 'the greater part counts');
    const paragraphs = Array.from({ length: 100 }, () => ['<p>', windows(russian)]).flat();
    assert.equal(guess(...paragraphs, '<p>', rest), 'windows-1251');
  });

  it('a page that names no encoding is not guessed by too little text', () => {
    assert.equal(guess('text '.repeat(100)), null);
    assert.equal(guess(''), null);
    const deadLetters = (count: number) =>
      guess('<p>', windows('привет мир привет мир'.replaceAll(' ', '').slice(0, count)));
    assert.equal(deadLetters(7), null);
    assert.notEqual(deadLetters(8), null);
    assert.equal(guess(Buffer.alloc(7, 0x80)), null);
    const apart = Array.from('приветми', (deadLetter) => ['<b>', windows(deadLetter), '</b>']).flat();
    assert.equal(guess(...apart.slice(0, 21)), null, 'letters are counted together');
  });
});
