/** Which records a robots.txt has, line by line. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eachRecord } from '../../../topology/robots/lines.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';

function recordsOf(body: string | Uint8Array): string[] {
  const records: string[] = [];
  eachRecord(Buffer.from(body), (key, value) => records.push(`${key}=${value}`));
  return records;
}

describe('the lines of a robots.txt', () => {
  it('the lines of a robots.txt end in any way', () => {
    const expected = ['user-agent=*', 'disallow=/x', 'allow=/'];
    for (const end of ['\n', '\r', '\r\n', '\n\n \t\n', ' \t\r\n\t '])
      assert.deepEqual(
        recordsOf(['User-agent: *', 'Disallow: /x', 'Allow: /'].join(end)),
        expected,
        JSON.stringify(end),
      );
    assert.deepEqual(recordsOf(''), []);
    assert.deepEqual(recordsOf('allow: /\n'), ['allow=/']);
  });

  it('the lines of a robots.txt have no blanks around key or value, and any case of the key', () => {
    assert.deepEqual(recordsOf(' \t DISALLOW \t: \t /a b \t '), ['disallow=/a b']);
    assert.deepEqual(recordsOf('\x01Allow\x01:\x1f/\x7f\x1f'), ['allow=/\x7f']);
    assert.deepEqual(recordsOf('Allow:!/!\nAllow:'), ['allow=!/!', 'allow=']);
    assert.deepEqual(recordsOf('Allow: /:x'), ['allow=/:x'], 'the first colon parts them');
  });

  it('the lines of a robots.txt are equal in UTF-16, in either order, with a byte order mark or without', () => {
    const expected = ['user-agent=*', `disallow=/${Buffer.from('é').toString('latin1')}`];
    for (const end of ['\n', '\r', '\r\n'])
      for (const mark of ['\ufeff', '']) {
        const little = Buffer.from(`${mark}User-agent: *${end}Disallow: /é${end}`, 'utf16le');
        assert.deepEqual(recordsOf(little), expected);
        assert.deepEqual(recordsOf(Buffer.concat([little, Buffer.from('x')])), expected, 'half a letter is none');
        assert.deepEqual(recordsOf(Buffer.from(little).swap16()), expected);
      }
    const long = Buffer.from(`\ufeffUser-agent: *\nDisallow: /${'x'.repeat(robotsLimits.bodyBytesMax / 2)}`, 'utf16le');
    assert.deepEqual(recordsOf(long), ['user-agent=*'], 'a line that is cut by the bound is not read');
    assert.deepEqual(recordsOf(Buffer.from('\ufeff', 'utf16le')), []);
  });

  it('the lines of a robots.txt end at a comment', () => {
    assert.deepEqual(recordsOf('# a\nAllow: /a # b\nDisallow#: /\n#Allow: /\nAllow: #'), ['allow=/a', 'allow=']);
  });

  it('the lines of a robots.txt keep their octets', () => {
    assert.deepEqual(recordsOf('Allow: /é\xa0'), [`allow=/${Buffer.from('é\xa0').toString('latin1')}`]);
  });

  it('the lines of a robots.txt begin after byte order marks', () => {
    assert.deepEqual(recordsOf('\ufeffAllow: /'), ['allow=/']);
    assert.deepEqual(recordsOf('\ufeff\ufeffAllow: /\nAllow: /x'), ['allow=/', 'allow=/x']);
  });

  it('the lines of a robots.txt have known keys, including misspelt ones', () => {
    const spellings = {
      'user-agent': ['user-agent', 'useragent', 'user agent', 'User-Agent'],
      allow: ['allow'],
      disallow: ['disallow', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw'],
      'crawl-delay': ['crawl-delay', 'crawldelay', 'crawl delay'],
      sitemap: ['sitemap', 'site-map', 'site map', 'Sitemap'],
      'content-usage': ['content-usage'],
      'content-signal': ['content-signal', 'content-signals'],
      license: ['license'],
    };
    for (const [key, all] of Object.entries(spellings))
      for (const one of all)
        for (const written of [one, one.toUpperCase()]) assert.deepEqual(recordsOf(`${written}: x`), [`${key}=x`], one);
    for (const other of ['host', 'noindex', 'allowed', 'dis-allow', 'constructor', `allow${' '.repeat(20)}x`])
      assert.deepEqual(recordsOf(`${other}: x`), [], other);
  });

  it('the lines of a robots.txt may have a blank for their colon, if two words remain', () => {
    assert.deepEqual(recordsOf('Disallow /x\nAllow \t /y # z\nDisallow\nDisallow /x y\nSitemap http'), [
      'disallow=/x',
      'allow=/y',
      'sitemap=http',
    ]);
    assert.deepEqual(recordsOf('Noindex /x\nuser agent x'), []);
  });

  it('the lines of a robots.txt are the whole lines of the first 500 KiB', () => {
    const most = robotsLimits.bodyBytesMax;
    const file = (end: string, bytes: number) => `#${'x'.repeat(bytes - end.length - 2)}\n${end}`;
    const line = 'Disallow: /private';
    assert.deepEqual(recordsOf(file(line, most - 1)), ['disallow=/private']);
    assert.deepEqual(recordsOf(file(line, most)), [], 'it may have been cut there');
    assert.deepEqual(recordsOf(file(`Allow: /\n${line}`, most)), ['allow=/']);
    assert.deepEqual(recordsOf(file(`Allow: /\r${line}`, most)), ['allow=/']);
    assert.deepEqual(recordsOf(`${file('Allow: /\n', most)}${line}\n`), ['allow=/']);
    assert.deepEqual(recordsOf(`${file('Allow: /x', most - 1)}y\n`), []);
    assert.deepEqual(recordsOf(file(`${line}\n`, most)), ['disallow=/private']);
    assert.deepEqual(recordsOf(`Allow: /${'x'.repeat(most)}`), []);
  });
});
