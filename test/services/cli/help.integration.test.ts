/** What `--help` prints, as somebody sees it who has not read the manual. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../../lab/process/command.ts';
import { createProgram, leavesOf, pathOf } from '../../../services/cli/program.ts';

/** Two screens of 50 lines. */
const linesMax = 100;
/** Characters of one option's text. */
const textMax = 90;

const flagsOf = (text: string) => [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag!);

test('crawl --help begins with the ten options that everybody needs, and fits two screens', async () => {
  const { code, stdout } = await runCommand(['crawl', '--help']);
  assert.equal(code, 0);
  const [first] = stdout.split('Most used:\n')[1]!.split('\n\n');
  assert.deepEqual(flagsOf(first!), [
    ...['--max-pages', '--contact', '--data', '--max-depth', '--scope'],
    ...['--include', '--exclude', '--delay', '--allow-private', '--dashboard'],
  ]);
  const lines = stdout.split('\n').length;
  assert.ok(lines <= linesMax, `${lines} lines`);
  assert.match(stdout, /\d+ more options: crawlstream crawl --help all/);
});

test('crawl --help all shows every option of crawl once, each in a named group', async () => {
  const { code, stdout } = await runCommand(['crawl', '--help', 'all']);
  assert.equal(code, 0);
  const crawl = (await createProgram()).commands.find((command) => command.name() === 'crawl')!;
  const all = [...crawl.options.map(({ long }) => long!), '--help'];
  assert.deepEqual(flagsOf(stdout).sort(), all.sort());
  assert.doesNotMatch(stdout, /^(Other options|Options):$/m);
  assert.doesNotMatch(stdout, /more options:/);
});

test('a misspelt option that only --help all shows is still mended', async () => {
  const { code, stderr } = await runCommand(['crawl', 'https://example.org', '--robots-tokn', 'x']);
  assert.equal(code, 2);
  assert.match(stderr, /--robots-token/);
});

test('the text of each option of crawl is under 90 characters', async () => {
  const crawl = (await createProgram()).commands.find((command) => command.name() === 'crawl')!;
  const long = crawl.options.filter(({ description }) => description.length >= textMax);
  assert.deepEqual(
    long.map(({ long: flag, description }) => `${flag}: ${description.length}`),
    [],
  );
});

test('defaults in the help of every command are as a person types them', async () => {
  for (const command of leavesOf(await createProgram())) {
    // That of crawl shows the most used options alone.
    const isCrawl = pathOf(command).join(' ') === 'crawl';
    const text = isCrawl ? (await runCommand(['crawl', '--help', 'all'])).stdout : command.helpInformation();
    const odd = /default:\s+(["{[][^)]*)/.exec(text);
    assert.equal(odd, null, `${pathOf(command).join(' ')}: ${odd?.[1]}`);
    const bare = command.options.filter(({ flags, defaultValue }) => flags.includes('<duration>') && defaultValue > 0);
    for (const { long } of bare)
      assert.match(text, new RegExp(`${long} <duration>[^)]*default:\\s+[\\d.]+(ms|[smhd])\\)`));
  }
  const { stdout } = await runCommand(['recheck', '--help']);
  assert.match(stdout, /default:\s+1d/);
  assert.match((await runCommand(['judge', '--help'])).stdout, /default:\s+127\.0\.0\.1:8900/);
});
