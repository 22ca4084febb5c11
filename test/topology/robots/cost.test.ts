/** robots.txt files made to be slow: none costs much more than an ordinary one of the same size, and twice the size is twice the cost. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { isAllowed, parseRobots } from '../../../topology/robots/rules.ts';

const bytesMax = robotsLimits.bodyBytesMax;

function filled(bytes: number, line: (n: number) => string): Buffer {
  let text = 'User-agent: *\n';
  for (let n = 0; text.length < bytes; n++) text += line(n);
  return Buffer.from(text.slice(0, bytes), 'latin1');
}

/** Processor time of a parse and one question, ms: the least of some, as other work only adds to it. */
function costMs(body: Buffer): number {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 7; n++) {
    const before = process.cpuUsage();
    isAllowed(parseRobots(body, 'crawlstream', 'http://a.test/robots.txt'), `http://a.test/${'a/'.repeat(900)}`);
    const { user } = process.cpuUsage(before);
    least = Math.min(least, user / 1000);
  }
  return least;
}

const lines: Readonly<Record<string, (n: number) => string>> = {
  comments: () => '#\n',
  'ends of lines': () => '\r',
  blanks: () => `${' \t'.repeat(200)}\n`,
  'words without a colon': () => `disallow ${' '.repeat(400)} /x\n`,
  'patterns of stars': (n) => `Disallow: ${'/*'.repeat(50)}a${n}\n`,
  'stars alone': () => `Disallow: /${'*'.repeat(99)}\n`,
  'octets to escape': (n) => `Disallow: /${'\xc3\xa9'.repeat(30)}${n}\n`,
  escapes: (n) => `Disallow: /${'%41'.repeat(30)}${n}\n`,
  'one pattern': () => 'Disallow: /a*a*a*a*a*a*a*a*a*a*a*a*'.padEnd(bytesMax, 'a*'),
  agents: (n) => `User-agent: b${n}\n`,
  sitemaps: (n) => `Sitemap: /${n}\n`,
};

const ordinaryMs = costMs(filled(bytesMax, (n) => `Disallow: /${n}/\n`));

for (const [what, line] of Object.entries(lines)) {
  it(`half a megabyte of ${what} costs at most as much as a few times of ordinary rules`, () => {
    const hostileMs = costMs(filled(bytesMax, line));
    assert.ok(
      hostileMs <= 3 * ordinaryMs + 30,
      `${hostileMs.toFixed(1)} ms, ordinary rules ${ordinaryMs.toFixed(1)} ms`,
    );
  });
}

it('the cost grows linearly with the size', () => {
  for (const [what, line] of Object.entries(lines)) {
    const [half, whole] = [costMs(filled(bytesMax / 4, line)), costMs(filled(bytesMax, line))];
    assert.ok(whole <= 8 * half + 60, `${what}: a quarter ${half.toFixed(1)} ms, all ${whole.toFixed(1)} ms`);
  }
});
