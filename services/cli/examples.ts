/** An example or two for the help of each command, and what exit codes mean. A test parses every one of them. */
import type { Command } from 'commander';
import { installed } from '../extras/installed.ts';

export const exitCodes: readonly (readonly [code: number, means: string])[] = [
  [0, 'done'],
  [1, 'failed: stderr has the reason; or a check found a difference'],
  [2, 'invalid command line, variable or configuration file; nothing was done'],
  [70, 'a bug: please report what was printed'],
  [75, 'a crawl blocked the process of its fleet for 15 s: start the fleet again; it then holds this crawl'],
  [130, 'stopped by a signal; the same command continues'],
];

const folder = '--data crawl-data/example.org';
const kafka = '--brokers localhost:9092 --crawl news';

const ofCore: Readonly<Record<string, readonly string[]>> = {
  crawl: ['https://example.org --max-pages 100 --contact me@example.org'],
  frontier: [`${kafka} --data state-a --http 0.0.0.0:9464`],
  fetcher: [`${kafka} --contact me@example.org`],
  'identity init': [
    'published --contact bot@example.org --user-agent NewsBot/1 --key signing-key.pem --network 192.0.2.0/24',
  ],
  'identity rotate': [`file:keys/2027.pem ${folder}`],
  'identity check': ['https://bot.example.org --contact bot@example.org --user-agent NewsBot/1'],
  doctor: [folder, kafka, '--bundle doctor.json'],
  consume: [`to-sqlite --plugin examples/to-sqlite.mjs ${folder}`],
  inject: [
    `https://example.org ${kafka}`,
    `seeds.txt ${folder}`,
    `--sitemap https://example.org/sitemap.xml ${folder}`,
  ],
  pages: [folder],
  stats: [`${folder} --json`],
  hosts: [`--sort errors ${folder}`, `example.org ${folder}`],
  'dlq list': [`--reason retriesExhausted ${folder}`],
  'dlq show': [`0:17 ${folder}`],
  'dlq replay': [`--host example.org ${folder}`],
  trace: [`example.org ${folder}`, `--ratio 0.001 ${kafka}`],
  explain: [`https://example.org/ ${folder}`],
  links: [`--dropped ${folder}`, `--dropped --rule scope --host example.com ${folder}`],
  judge: ['--listen 127.0.0.1:8900 --hosts 50'],
  'policy set': [`policy.json ${folder}`],
  'policy reload': [folder],
  'policy rollback': [folder],
  'policy show': [folder],
  'policy history': [folder],
  fetch: ['https://example.org/ --contact me@example.org'],
  new: ['my-crawl'],
  'check url': ["'HTTP://Example.com:80/b/../a?b=2&a=1'"],
  'check filter': ['https://example.org/a.jpg'],
  'check robots': ['https://example.org/private --file robots.txt'],
  'check page': ['https://example.org/ --contact me@example.org', '--file page.html'],
  'check score': ['https://example.org/'],
  'check list': ['spam.txt --kind domains --url https://example.org/'],
  'state digest': [folder],
  'state verify': [folder],
  'state rebuild': [`${folder} --all --into rebuilt`],
  'state move': [`${folder} --into crawl-data/second`],
  'state at': [`--time 2026-01-31T12:00:00Z ${folder} --http 9465`, `--offset 1000 --partition 0 ${folder}`],
  'state snapshot': [`${folder} --to snapshots`],
  'state snapshots': [`${folder} --to snapshots`],
  reset: [folder, `${folder} --yes`],
  'schemas list': [kafka],
  'schemas teach': [`results.avsc --topic results --id 7 ${kafka}`],
  'schemas refuse': [`--topic discovered --id 7 ${kafka}`, `--topic control --partition 0 --offset 12 ${kafka}`],
  seek: [`--topic discovered --to earliest ${folder}`],
  'topics create': [`${kafka} --partitions 24`],
  'topics check': [kafka],
  acls: [
    '--crawl news',
    'fetcher --crawl news --commands --principal User:news-fetcher',
    '--crawl news --strimzi events',
    '--fleet search',
  ],
  dump: [`news.jsonl.gz ${folder}`],
  load: [
    'news.jsonl.gz --data crawl-data/news --partitions 16',
    '--seen urls.txt --data crawl-data/news',
    '--from-cc table --recrawl optimal --data crawl-data/news',
  ],
  repartition: [`--partitions 16 ${kafka} --into news-16`, `--partitions 16 ${folder} --into crawl-data/example-16`],
  size: ['--urls 100M --hosts 1M --rate 500 --delay 1000ms'],
  'topology describe': ['--format dot'],
  pause: [folder],
  resume: [folder],
  bandwidth: [`2M ${folder}`],
  block: [`example.org ${folder}`],
  unblock: [`example.org ${folder}`],
  forget: [folder, `--receipt forgotten.jws ${folder}`],
  purge: [`example.org ${folder}`, `https://example.org/private/page ${folder}`],
  delay: [`example.org 5000 ${folder}`],
  limit: [`example.org 500 ${folder}`],
  parallel: [`example.org 4 ${folder}`],
  budget: [`example.org 10000 ${folder}`],
  raise: [`https://example.org/news ${folder}`],
  lower: [`https://example.org/archive/ --to 5 ${folder}`],
  requeue: [`--prefix https://example.org/blog/ ${folder}`],
  trap: [`https://example.org/calendar/ --why 'without end' ${folder}`],
  release: [`example.org '/calendar/*' ${folder}`],
  simulate: ['--seeds 20'],
  bench: ['frontier'],
  extras: ['--json'],
  'config init': ['crawlstream.yaml'],
  'config check': ['crawlstream.yaml'],
  'config show': ['fetcher --config crawlstream.yaml'],
  completion: ['bash'],
};

/** By command path, without the leading `crawlstream`. Those of extras come after those of the core. */
export const examples: Readonly<Record<string, readonly string[]>> = installed.reduce(
  (all, extra) => Object.entries(extra.examples ?? {}).reduce(withLines, all),
  ofCore,
);

function withLines(
  all: Readonly<Record<string, readonly string[]>>,
  [path, lines]: [string, readonly string[]],
): Readonly<Record<string, readonly string[]>> {
  return { ...all, [path]: [...(all[path] ?? []), ...lines] };
}

export function addExamples(command: Command, path: readonly string[] = []): void {
  for (const child of command.commands) {
    const name = [...path, child.name()];
    const lines = (examples[name.join(' ')] ?? []).map((rest) => `  $ crawlstream ${name.join(' ')} ${rest}`);
    if (lines.length > 0) child.addHelpText('after', `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.join('\n')}`);
    addExamples(child, name);
  }
}
