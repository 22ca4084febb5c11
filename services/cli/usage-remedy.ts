/** Adds a likely correction to an error of the command-line parser. The parser knows the mistake, but not its cause. */
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { examples } from './examples.ts';

/** Commands of other tools, with ours. */
const meant: Readonly<Record<string, string>> = {
  start: 'to start or resume a crawl: crawl',
  run: 'to start or resume a crawl: crawl',
  stop: 'to stop a crawl, press Ctrl-C; to hold it: pause and resume',
  status: 'for the status of a crawl: stats',
  list: 'to list pages: pages; to list hosts: hosts',
  ls: 'to list pages: pages; to list hosts: hosts',
  init: 'to create a project: new; a configuration file: config init',
  serve: 'for the web dashboard: dashboard',
  retry: 'to retry failed URLs: requeue',
  delete: 'to remove a host or URL: purge',
};

/** Options of other tools, with ours. */
const meantOptions: readonly (readonly [names: readonly string[], option: string])[] = [
  [['--depth', '--level', '-l', '-d'], '--max-depth'],
  [['-o', '--output', '-O', '--output-document'], '--out'],
  [['--limit', '--pages', '-n', '--max', '--number'], '--max-pages'],
  [['--wait', '-w', '--rate', '--interval', '--download-delay'], '--delay'],
  [['--agent', '-A', '--ua', '--useragent'], '--user-agent'],
  [['--email', '--mail'], '--contact'],
  [['-j', '--threads', '--parallel', '--jobs', '-c'], '--concurrency'],
  [['--folder', '--dir', '--directory', '--cwd', '-P'], '--data'],
  [['--allow', '--accept-regex'], '--include'],
  [['--deny', '--reject', '--reject-regex', '--ignore'], '--exclude'],
  [['--timeout', '--duration', '--time'], '--max-time'],
  [['-f', '--type'], '--format'],
];

/** The option of this command for the name that another tool uses. */
function optionOf(typed: string, command: Command): string | undefined {
  const all = meantOptions.filter(([names]) => names.includes(typed)).map(([, option]) => option);
  return all.find((option) => command.options.some(({ long }) => long === option));
}

/** Names our command for the one that another tool has. Undefined: none, or this program lacks the extra with it. */
function commandFor(typed: string, program: Command): string | undefined {
  const text = Object.hasOwn(meant, typed) ? meant[typed]! : '';
  const name = text.slice(text.lastIndexOf(': ') + 2).split(' ', 1)[0];
  return program.commands.some((one) => one.name() === name) ? text : undefined;
}

/** `text`: commander's message, with its line break. `words`: the command line, without node and script. */
export function withRemedy(text: string, program: Command, words: readonly string[]): string {
  const remedy = remedyOf(text, program, words);
  return remedy === undefined ? text : `${text.split('\n', 1)[0]!.replace(/\.$/, '')}; ${remedy}\n`;
}

function remedyOf(text: string, program: Command, words: readonly string[]): string | undefined {
  const unknown = /^error: unknown command '([^']*)'/.exec(text)?.[1];
  if (unknown !== undefined) return commandFor(unknown, program);
  const command = words.map((word) => program.commands.find((one) => one.name() === word)).find((one) => one);
  if (command === undefined) return undefined;
  if (words[0]?.startsWith('-') && text.startsWith('error: unknown option'))
    return `put options after the command: crawlstream ${command.name()} … ${words[0]}`;
  const option = /^error: unknown option '(-{1,2}[^'=]*)/.exec(text)?.[1];
  const known = option === undefined ? undefined : optionOf(option, command);
  if (known !== undefined) return `did you mean ${known}?`;
  if (/^error: too many arguments/.test(text)) {
    const folder = words.find((word, at) => !word.startsWith('-') && at > 0 && isFolder(word));
    const takesData = command.options.some(({ long }) => long === '--data');
    if (folder !== undefined && takesData && !words.includes('--data')) return `did you mean --data ${folder}?`;
    return `crawlstream ${command.name()} --help lists its options`;
  }
  const example = examples[command.name()]?.[0];
  if (/^error: missing required argument/.test(text) && example !== undefined)
    return `as in: crawlstream ${command.name()} ${example}`;
  return undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
