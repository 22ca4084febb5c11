import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { isAllowed, parseRobots, sitemapValues } from '../../../topology/robots/rules.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const rules = (text: string | Uint8Array, token = 'examplebot') =>
  parseRobots(typeof text === 'string' ? bytes(text) : text, token, 'http://example.com/robots.txt');
const allowed = (text: string, path: string, token = 'examplebot') =>
  isAllowed(rules(text, token), `http://example.com${path}`);

describe('RFC 9309 §2.2.1, the user-agent line', () => {
  it('a token matches without case, and a version after it is no part of it', () => {
    assert.equal(allowed('User-Agent: EXAMPLEBOT/2.1\nDisallow: /', '/a'), false);
  });
  it('a longer token that begins with ours is another crawler', () => {
    assert.equal(allowed('User-Agent: ExampleBot-News\nDisallow: /', '/a'), true);
  });
  it('a token with digits is the first word of the line', () => {
    const isFor = (value: string, token = 'bot2') => !allowed(`User-agent: ${value}\nDisallow: /`, '/a', token);
    assert.deepEqual(
      [
        'bot2',
        'BOT2',
        'bot2/1.0',
        'bot2 x',
        'bot2\tx',
        'bot23',
        'bot2-x',
        'bot2_',
        'bot2.1',
        'bot',
        'xbot2',
        'x bot2',
      ].map((value) => isFor(value)),
      [true, true, true, true, true, false, false, false, false, false, false, false],
    );
    assert.deepEqual(
      ['bot', 'bot2', 'bot.', 'bot(x)', 'bot-x', 'bot_x', 'boty'].map((value) => isFor(value, 'bot')),
      [true, true, true, true, false, false, false],
    );
  });
  it('everyone is a lone star', () => {
    const isForAll = (value: string) => !allowed(`User-agent: ${value}\nDisallow: /`, '/a');
    assert.deepEqual(['*', '* x', '*\tx', '**', '*x', '*/', 'x*'].map(isForAll), [
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
  it('groups of the same token are merged', () => {
    const file =
      'User-agent: examplebot\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: examplebot\nDisallow: /b';
    assert.deepEqual(
      ['/a', '/b', '/c'].map((path) => allowed(file, path)),
      [false, false, true],
    );
  });
  it('successive user-agent lines share the rules that follow', () => {
    assert.equal(allowed('User-agent: other\nUser-agent: examplebot\nDisallow: /a', '/a'), false);
  });
  it('the group for everyone counts only if no group names us, even one without rules', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /', '/a'), false);
    assert.equal(allowed('User-agent: *\nDisallow: /\n\nUser-agent: examplebot\n', '/a'), true);
  });
  it('rules before any user-agent line bind nobody', () => {
    assert.equal(allowed('Disallow: /\nUser-agent: other\nDisallow: /x', '/a'), true);
  });
});

describe('RFC 9309 §2.2.2, allow and disallow', () => {
  it('the match with most octets wins, whatever the order', () => {
    const file = 'User-agent: *\nAllow: /p\nDisallow: /p/q\nAllow: /p/q/r\nDisallow: /';
    assert.deepEqual(
      ['/p', '/p/q', '/p/q/r', '/z'].map((path) => allowed(file, path)),
      [true, false, true, false],
    );
  });
  it('allow wins a tie', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /p\nAllow: /p', '/p'), true);
  });
  it('matching is by case, from the first octet, over path and query', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /P', '/p'), true);
    assert.equal(allowed('User-agent: *\nDisallow: /b', '/a/b'), true);
    assert.equal(allowed('User-agent: *\nDisallow: /a?x=1', '/a?x=12'), false);
  });
  it('/robots.txt is always allowed', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /', '/robots.txt'), true);
  });
  it('characters that a URL escapes may stand in a pattern as they are, and escapes may be in lower case', () => {
    for (const [pattern, path] of [
      ['/a b/', '/a%20b/'],
      ['/{x}', '/%7Bx%7D'],
      ['/"x', '/%22x'],
      ['/a%2bb', '/a%2Bb'],
      ['/a%2Bb', '/a%2bb'],
    ] as const)
      assert.equal(allowed(`User-agent: *\nDisallow: ${pattern}`, path), false, pattern);
  });
  it('an allowed index page allows its folder no more than any other page does', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /a/\nAllow: /a/index.html', '/a/'), false);
  });
  it('an empty pattern is ignored, and so is one that begins with neither slash nor star', () => {
    assert.equal(allowed('User-agent: *\nDisallow:', '/a'), true);
    assert.equal(allowed('User-agent: *\nDisallow: a', '/a'), true);
  });
  it('escapes of unreserved characters equal the characters, on both sides', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /%62%61%7A', '/baz'), false);
    assert.equal(allowed('User-agent: *\nDisallow: /~joe', '/%7ejoe'), false);
  });
  it('octets beyond ASCII equal their escapes, and escapes their other case', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /ツ', '/%e3%83%84'), false);
    assert.equal(allowed('User-agent: *\nDisallow: /%e3%83%84', '/ツ'), false);
  });
  it('an escaped slash is no slash', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /a%2Fb', '/a/b'), true);
    assert.equal(allowed('User-agent: *\nDisallow: /a%2fb', '/a%2Fb'), false);
  });
  it('characters that no URI may hold equal their escapes', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /a|{b', '/a%7C%7Bb'), false);
  });
});

describe('merged groups with several Crawl-delays', () => {
  for (const agent of ['examplebot', '*']) {
    for (const delays of [
      [2, 7],
      [7, 2],
    ])
      it(`the largest Crawl-delay of merged groups wins: ${delays.join(', then ')} for ${agent}`, () => {
        const groups = delays.map((delay) => `User-agent: ${agent}\nCrawl-delay: ${delay}\nDisallow: /x${delay}`);
        assert.equal(rules(groups.join('\n\n')).crawlDelayMs, 7_000);
      });
  }
});

describe('RFC 9309 §2.5, the bound', () => {
  /** A file of so many bytes, whose last line is `Disallow: /private` cut somewhere. */
  const ofBytes = (bytes: number, end: string) => {
    const head = 'User-agent: *\nDisallow: /first\n';
    return `${head}#${'x'.repeat(bytes - head.length - end.length - 2)}\n${end}`;
  };
  const cut = 'Disallow: /';
  const { bodyBytesMax } = robotsLimits;

  it('a file below the bound is read to its end, even without a final line feed', () => {
    const file = ofBytes(bodyBytesMax - 1, cut);
    assert.equal(file.length, bodyBytesMax - 1);
    assert.equal(allowed(file, '/anything'), false);
  });
  for (const more of [0, 1]) {
    it(`a line that the bound may have cut in two is not read: ${more} bytes beyond`, () => {
      const file = ofBytes(bodyBytesMax, cut) + 'private'.slice(0, more);
      assert.equal(file.length, bodyBytesMax + more);
      assert.equal(allowed(file, '/anything'), true);
      assert.equal(allowed(file, '/first'), false);
    });
  }
  it('a file of exactly the bound is read to its last whole line', () => {
    const file = ofBytes(bodyBytesMax, 'Disallow: /last\n');
    assert.equal(file.length, bodyBytesMax);
    assert.equal(allowed(file, '/last'), false);
  });
});

describe('RFC 9309 §2.2.3, special characters', () => {
  it('* is any run of octets, none included, and $ the end', () => {
    const file = 'User-agent: *\nDisallow: /*.gif$\nDisallow: /a*b*c';
    const paths = ['/x.gif', '/x.gif?y', '/.gif', '/abc', '/a-b-c-d', '/acb'];
    assert.deepEqual(
      paths.map((path) => allowed(file, path)),
      [false, true, false, false, false, true],
    );
  });
  it('# begins a comment, anywhere in a line', () => {
    assert.equal(allowed('User-agent: * # all\nDisallow: /a#b', '/a'), false);
  });
  it('escaped, * and $ stand for themselves', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /a%2A', '/a*'), false);
    assert.equal(allowed('User-agent: *\nDisallow: /a%2A', '/ab'), true);
    assert.equal(allowed('User-agent: *\nDisallow: /a%24', '/a$b'), false);
    assert.equal(allowed('User-agent: *\nDisallow: /a$b', '/a$b'), false);
  });
  it('an anchored last piece does not overlap the preceding text', () => {
    assert.equal(allowed('User-agent: *\nDisallow: /aba*ba$', '/aba'), true);
    assert.equal(allowed('User-agent: *\nDisallow: /aba*ba$', '/ababa'), false);
  });
});

describe('RFC 9309 §2.2.4, other records', () => {
  it('sitemaps, delays and unknown records end no group', () => {
    const file = 'User-agent: examplebot\nSitemap: /s.xml\nCrawl-delay: 2\nHost: x\nUser-agent: other\nDisallow: /';
    assert.equal(allowed(file, '/a'), false);
  });
  it('a Crawl-delay belongs to the user-agent lines right above it', () => {
    const file = 'User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2.5\nUser-agent: *\nDisallow: /';
    assert.deepEqual(
      ['a', 'b', 'c'].map((token) => rules(file, token).crawlDelayMs),
      [1000, 2500, null],
    );
  });
  it('a Crawl-delay that is no number, negative or huge does no harm', () => {
    const delay = (value: string) => rules(`User-agent: *\nCrawl-delay: ${value}`).crawlDelayMs;
    assert.deepEqual(['x', '-1', '1e9', '', '.5', '999999999999'].map(delay), [
      null,
      null,
      null,
      null,
      500,
      30 * 86_400_000,
    ]);
  });
  it('sitemaps are absolute, each once, with http and https only', () => {
    const file =
      'Sitemap: /s.xml\nsitemap: http://example.com/s.xml#x\nSitemap: ftp://a/b\nSitemap: https://o.example/t.xml';
    assert.deepEqual(rules(file).sitemaps, ['http://example.com/s.xml', 'https://o.example/t.xml']);
    assert.deepEqual(sitemapValues(bytes('Sitemap: /ツ.xml\nSitemap: /ツ.xml')), ['/ツ.xml']);
  });
});

describe('RFC 9309 §2.2 and §2.5, the file', () => {
  it('a no-break space around a sitemap is a blank, in UTF-8 and, before it, in Latin-1', () => {
    for (const blank of ['\xc2\xa0', '\xa0', ' \xc2\xa0 \t']) {
      const body = Buffer.from(`Sitemap:${blank}http://a.test/s.xml${blank.length === 1 ? '' : blank}\n`, 'latin1');
      assert.deepEqual(parseRobots(body, 'x', 'http://a.test/robots.txt').sitemaps, ['http://a.test/s.xml']);
      assert.deepEqual(sitemapValues(body), ['http://a.test/s.xml']);
    }
  });
  it('lines end at CR, LF or CRLF', () => {
    for (const end of ['\r', '\n', '\r\n']) assert.equal(allowed(`User-agent: *${end}Disallow: /a${end}`, '/a'), false);
  });
  it('a byte order mark is skipped', () => {
    assert.equal(allowed('\ufeffUser-agent: *\nDisallow: /', '/a'), false);
  });
  it('500 KiB are read, without a line that the bound cuts', () => {
    const filler = `# ${'x'.repeat(97)}\n`;
    const head = `User-agent: *\nDisallow: /early\n${filler.repeat(5119)}`;
    const at = 500 * 1024 - head.length;
    assert.ok(at > 0 && at < 100);
    const file = `${head}${'#'.repeat(at - 12)}\nDisallow: /late-and-long\n`;
    assert.equal(allowed(file, '/early'), false);
    assert.equal(allowed(file, '/late-and-long'), true);
    assert.equal(allowed(file, '/else'), true);
  });
  it('bytes that are not UTF-8, and NULs, break nothing', () => {
    const file = Uint8Array.from([...bytes('User-agent: *\nDisallow: /'), 0xff, 0xfe, 0, ...bytes('\nDisallow: /b')]);
    assert.equal(isAllowed(rules(file), 'http://example.com/b'), false);
    assert.equal(isAllowed(rules(file), 'http://example.com/%FF%FE%00'), false);
    assert.equal(isAllowed(rules(file), 'http://example.com/a'), true);
  });
});

describe('hostile files', () => {
  const size = 500 * 1024;
  const long = `/${'ab'.repeat(1000)}`;
  const files: Record<string, string> = {
    'one rule of stars': `Disallow: /${'*'.repeat(size - 100)}z`,
    'one rule of thousands of wildcards': `Disallow: /${'*a'.repeat(200_000)}z`,
    'a hundred thousand wildcard rules': Array.from({ length: 40_000 }, (_, i) => `Disallow: /*ab*${i}`).join('\n'),
    'short star rules': 'Disallow: *\nDisallow: /*a\n'.repeat(18_000),
    'prefixes that nest': Array.from({ length: 900 }, (_, i) => `Disallow: /${'a'.repeat(i)}b`).join('\n'),
    'one endless line': 'x'.repeat(size),
    'user agents only': 'User-agent: examplebot\n'.repeat(20_000),
  };
  for (const [name, file] of Object.entries(files)) {
    it(`a hostile robots.txt is read once and queried ten times in well under two seconds: ${name}`, () => {
      const cpu = process.cpuUsage();
      const parsed = rules(`User-agent: *\n${file}`);
      for (let i = 0; i < 10; i++) isAllowed(parsed, `http://example.com${long}${i}`);
      const { user, system } = process.cpuUsage(cpu);
      assert.ok((user + system) / 1000 < 2000, `${(user + system) / 1000} ms`);
    });
  }
  it('many plain rules are found by order, not one by one', () => {
    const file = `User-agent: *\n${Array.from({ length: 20_000 }, (_, i) => `Disallow: /dir${i}/`).join('\n')}\nAllow: /dir77/open`;
    const parsed = rules(file);
    assert.equal(isAllowed(parsed, 'http://example.com/dir19999/x'), false);
    assert.equal(isAllowed(parsed, 'http://example.com/dir77/open/x'), true);
    assert.equal(isAllowed(parsed, 'http://example.com/dir77/x'), false);
    assert.equal(isAllowed(parsed, 'http://example.com/dir20000/x'), true);
  });
});

it('a robots.txt with an invalid URL has only absolute sitemaps', () => {
  const file = 'Sitemap: http://b.test/1.xml\nSitemap: /2.xml\nSitemap: ftp://b.test/3.xml\nSitemap:';
  assert.deepEqual(parseRobots(Buffer.from(file), 'x', 'nowhere').sitemaps, ['http://b.test/1.xml']);
});

describe('the index of patterns', () => {
  /** RFC 9309 §2.2.2 word by word: each rule tried, the longest kept. */
  const naive = (patterns: readonly (readonly [string, boolean])[], path: string) => {
    let best = -1;
    let verdict = true;
    for (const [pattern, allow] of patterns) {
      const source = pattern.replace(/[.?+^(){}|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
      if (!new RegExp(`^${source.endsWith('$') ? source : source.replaceAll('$', '\\$')}`, 's').test(path)) continue;
      if (pattern.length > best || (pattern.length === best && allow)) [best, verdict] = [pattern.length, allow];
    }
    return verdict;
  };
  it('the index of patterns finds a wildcard among many, and no other', () => {
    const file = `User-agent: *\n${Array.from({ length: 500 }, (_, i) => `Disallow: /*word${i}-*x`).join('\n')}`;
    assert.equal(allowed(file, '/a/word77-bx'), false);
    assert.equal(allowed(file, '/a/word77-b'), true);
    assert.equal(allowed(file, '/a/word500-bx'), true);
    assert.equal(allowed(`${file}\nDisallow: /*a*b`, '/a/b'), false);
  });
  it('the index of patterns agrees with trying every rule', () => {
    let seed = 7;
    const random = (n: number) => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) % n;
    const word = (alphabet: string, max: number) =>
      Array.from({ length: random(max) }, () => alphabet[random(alphabet.length)]).join('');
    for (let round = 0; round < 3000; round++) {
      const patterns = Array.from(
        { length: 1 + random(8) },
        () => [`/${word('aab/**', 7)}${random(4) === 0 ? '$' : ''}`, random(2) === 0] as const,
      );
      const file = `User-agent: *\n${patterns.map(([p, allow]) => `${allow ? 'Allow' : 'Disallow'}: ${p}`).join('\n')}`;
      const path = `/${word('aab/', 9)}`;
      assert.equal(allowed(file, path), naive(patterns, path), `${file}\n${path}`);
    }
  });
});

describe('RFC 9309 §2.2.2, of several patterns with wildcards the longest decides', () => {
  it('the longest of several patterns with wildcards decides, in any order and among many others (RFC 9309 §2.2.2)', () => {
    const between = Array.from({ length: 90 }, (_, n) => `Disallow: /*unlike${n}*x`);
    for (const lines of [
      ['Disallow: /*a', 'Allow: /*ab', 'Disallow: /*abc'],
      ['Disallow: /*abc', 'Allow: /*ab', 'Disallow: /*a'],
      ['Allow: /*ab', ...between, 'Disallow: /*abc', 'Disallow: /*a'],
      ['Disallow: /*a', ...between, 'Disallow: /*abc', 'Allow: /*ab'],
    ]) {
      const file = ['User-agent: *', ...lines].join('\n');
      assert.deepEqual(
        ['/a', '/ab', '/abc', '/abcd', '/b'].map((path) => allowed(file, path)),
        [false, true, false, false, true],
        file.slice(0, 60),
      );
    }
  });
});

describe('blanks in a robots.txt', () => {
  it('blanks in a robots.txt around keys, values and lines do not count', () => {
    for (const line of [
      'Disallow : /a',
      ' Disallow:/a ',
      'Disallow\t :\t /a\t',
      '\u0001Disallow:\u0002/a',
      'Disallow /a',
    ])
      assert.deepEqual(
        ['/a', '/b'].map((path) => allowed(`User-agent: *\n${line}`, path)),
        [false, true],
        JSON.stringify(line),
      );
  });
});

describe('usage statements and licences in a robots.txt', () => {
  const usageOf = (text: string) => rules(text).usage.map(({ field, value }) => `${field} ${value}`);

  it('usage statements and licences belong to the group that they stand in, in order', () => {
    const file = (own: string) =>
      `Content-Signal: search=no\nUser-agent: *\nContent-Signal: search=yes\n\nUser-agent: other\nContent-Usage: x=n\n${own}`;
    assert.deepEqual(usageOf(file('')), ['content-signal search=yes']);
    const own = 'User-agent: examplebot\nContent-Usage: a=y\nDisallow: /x\nContent-Signal: b=no';
    assert.deepEqual(usageOf(file(own)), ['content-usage a=y', 'content-signal b=no']);
    assert.deepEqual(usageOf(file('User-agent: examplebot\n')), []);
    assert.equal(rules(file(own)).named, true);
    assert.deepEqual([rules(file('')).named, rules('').named], [false, false]);
  });

  it('usage statements and licences end the run of agents for their like only', () => {
    const file = (between: string) =>
      `User-agent: examplebot\n${between}\nUser-agent: other\nContent-Usage: a=y\nDisallow: /x\nCrawl-delay: 2`;
    assert.deepEqual(usageOf(file('Content-Usage: b=n')), ['content-usage b=n']);
    assert.equal(allowed(file('Content-Usage: b=n'), '/x'), false);
    assert.equal(rules(file('Content-Usage: b=n')).crawlDelayMs, 2_000);
    assert.deepEqual(usageOf(file('Crawl-delay: 1')), ['content-usage a=y']);
    assert.equal(rules(file('Crawl-delay: 1')).crawlDelayMs, 1_000);
    assert.deepEqual(usageOf(file('Allow: /')), []);
    assert.deepEqual([allowed(file('Allow: /'), '/x'), rules(file('Allow: /')).crawlDelayMs], [true, null]);
  });

  it('usage statements and licences are bounded in number, wherever they stand', () => {
    const { licencesMax } = robotsLimits;
    const many = Array.from({ length: licencesMax + 1 }, (_, n) => `https://a.test/\u00e9${n}`);
    const { licences } = rules(many.map((url) => `License: ${url}`).join('\n'));
    assert.deepEqual(licences, many.slice(0, licencesMax));
  });
});
