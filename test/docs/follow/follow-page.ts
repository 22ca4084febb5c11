/**
 * One page, followed literally: its commands in their order, typed into a shell as they are written, in one folder. What
 * goes on until it is stopped runs beside the others, as in a terminal of its own, and ends when the page does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Block, blocksOf, isPrinted, printedAfter } from './blocks.ts';
import { isService, leftOut } from './left-out.ts';
import { referencePages } from './pages.ts';
import { promises } from './promises.ts';

export interface Followed {
  readonly root: string;
  readonly page: string;
  readonly from: 'clone' | 'package';
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly hasKafka: boolean;
  /** Has broker and registry begin anew, empty. */
  emptyKafka(): Promise<void>;
  /** What stands in the folder that no page has made. */
  readonly own: ReadonlySet<string>;
  say(line: string): void;
}

const site = 'https://example.org --max-pages 40';
const ofReader = [
  `crawlstream crawl ${site} --contact me@example.org --data crawl-data/example.org`,
  `crawlstream crawl ${site} --contact me@example.org --brokers localhost:9092 --crawl news --partitions 1 --data news-a`,
];

export interface Counts {
  followed: number;
  failed: number;
  leftOut: number;
}

interface Typed {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** null: a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Far beyond what any takes on a busy machine; who hangs is told of. ms */
const patienceMs = 600_000;
/** A service that was started is given this to say something, and as long to settle. ms */
const settleMs = 20_000;

/** `--http 9464` of a service, which is waited for. */
const listensAt = /--http (?:[\w.]+:)?(\d+)/;

export async function followPage(followed: Followed): Promise<Counts> {
  const { root, page, from, say, hasKafka } = followed;
  const counts: Counts = { followed: 0, failed: 0, leftOut: 0 };
  const text = readFileSync(join(root, page), 'utf8');
  const running: { readonly place: string; readonly typed: Typed }[] = [];
  const fail = (place: string, line: string, why: string) => {
    counts.failed += 1;
    say(`FAILED    ${place}: ${line}\n${why.replaceAll(/^/gm, '          ')}`);
  };
  for (const one of promises.filter((promised) => promised.page === page)) {
    if (!text.includes(one.sentence))
      fail(page, one.sentence, 'the page says this no more: say in promises.ts what it promises');
  }
  let wasKafkaUsed = false;
  const printed = printedAfter(root, page);
  for (const block of blocksOf(root, page)) {
    if (referencePages.has(page)) {
      const usesKafka = hasKafka && block.some(({ text: line }) => line.includes('localhost:9092'));
      // What one block does to topics (a trim, a reset, a state of its own) is not the next one's.
      if (usesKafka && wasKafkaUsed) await followed.emptyKafka();
      wasKafkaUsed ||= usesKafka;
      await prepare(followed, block);
    }
    const outputs: (() => string)[] = [];
    for (const { line, text: written } of block) {
      const place = `${page}:${line}`;
      const why = leftOut({ page, text: written, from, hasKafka });
      if (why !== undefined) {
        counts.leftOut += 1;
        say(`left out  ${place}: ${written}: ${why}`);
        continue;
      }
      counts.followed += 1;
      const typed = type(
        from === 'clone' ? written : written.replace('npm run -s crawlstream --', 'npx crawlstream'),
        followed,
      );
      outputs.push(typed.output);
      if (isService(written)) {
        running.push({ place, typed });
        const code = await Promise.race([typed.ended, settled(typed, listensAt.exec(written)?.[1])]);
        if (typeof code === 'number' && code !== 0)
          fail(place, written, `it ended with ${code}\n${typed.output().slice(-2_000)}`);
        continue;
      }
      const code = await typed.ended;
      if (code !== 0) fail(place, written, `it ended with ${code}\n${typed.output().slice(-2_000)}`);
      else say(`ok        ${place}: ${written}`);
      for (const { command, prints, sentence } of promises.filter((promised) => promised.page === page)) {
        if (command.test(written) && !prints.test(typed.output()))
          fail(place, written, `“${sentence}”: nothing printed is ${prints}\n${typed.output().slice(-2_000)}`);
      }
    }
    const output = outputs.map((one) => one()).join('\n');
    // Behind a block of which something is left out, not all can be looked for.
    for (const { line, text: expected } of hasKafka ? (printed.get(block.at(-1)!.line) ?? []) : []) {
      if (!isPrinted(expected, output))
        fail(`${page}:${line}`, expected, `nothing printed is like it\n${output.slice(-4_000)}`);
    }
    // The terminals of a block are closed before the next is read.
    for (const { place, typed } of running.splice(0)) {
      const isAlive = typed.child.exitCode === null && typed.child.signalCode === null;
      if (isAlive) process.kill(-typed.child.pid!, 'SIGTERM');
      const code = await typed.ended;
      if (isAlive && code !== null && ![0, 130, 143].includes(code))
        fail(place, 'SIGTERM', `it ended with ${code}\n${typed.output().slice(-2_000)}`);
      else say(`ok        ${place}: ran until it was stopped`);
    }
  }
  return counts;
}

/** Throws where the reader's own crawl can't be made. */
async function prepare(followed: Followed, block: Block): Promise<void> {
  const { cwd, own, hasKafka, page, from } = followed;
  for (const name of readdirSync(cwd)) if (!own.has(name)) rmSync(join(cwd, name), { recursive: true, force: true });
  const needs = (place: string) => block.some(({ text }) => text.includes(place));
  const typed = block.filter(({ text }) => leftOut({ page, text, from, hasKafka }) === undefined);
  const makes = typed.some(({ text }) => /crawlstream (-- )?crawl https/.test(text));
  const wanted = [
    ...(needs('crawl-data/example.org') && !makes
      ? [`${ofReader[0]!}${needs('crawlstream -- replay') ? ' --with archive' : ''}`]
      : []),
    ...(needs('--crawl news') && hasKafka ? [ofReader[1]!] : []),
  ];
  for (const line of wanted) {
    const { ended, output } = type(line, followed);
    if ((await ended) !== 0) throw new Error(`${line}\n${output()}`);
  }
}

function type(line: string, { cwd, env }: Followed): Typed {
  const child = spawn('bash', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const patience = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), patienceMs);
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      clearTimeout(patience);
      resolve(code);
    });
  });
  return { child, output: () => output, ended };
}

/** Once it answers at its port; where it has none, once it has said something and is quiet for a moment, or nothing for long. */
async function settled({ child, output }: Typed, port: string | undefined): Promise<undefined> {
  for (
    const untilMs = Date.now() + patienceMs;
    port !== undefined && child.exitCode === null && Date.now() < untilMs;
  ) {
    if (await fetch(`http://localhost:${port}/startupz`).catch(() => undefined)) break;
    await sleep(100);
  }
  const untilMs = Date.now() + settleMs;
  for (let last = ''; Date.now() < untilMs; ) {
    await sleep(3_000);
    if (output() !== '' && output() === last) return undefined;
    last = output();
  }
  return undefined;
}
