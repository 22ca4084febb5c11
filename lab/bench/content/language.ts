/**
 * How often the language of a page is detected correctly, on manuals that Debian has in many languages.
 *
 *   npm run bench -- language [--json] [--wrong]
 *
 * The truth is the folder of a page. A page is English if four fifths of it are word for word in the English original.
 * Two kinds are left out: pages that are only partly translated, and pages among the originals that declare another
 * language. There are three runs: pages declare nothing, pages keep their declarations, and all pages declare English,
 * as templates do. `--wrong` lists the pages that the first run detects wrongly.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { languageOf } from '../../../topology/content/language.ts';
import { declaredCode } from '../../../topology/content/language-codes.ts';
import { parsePage } from '../../../topology/parse/page.ts';
import { debianPackage, htmlFiles } from './debian-package.ts';

interface Manual {
  readonly name: string;
  readonly folder: string;
  /** The folder of the original, next to the folders of the translations. */
  readonly english: string;
}

interface Sample {
  readonly file: string;
  readonly text: string;
  readonly declared: string;
  readonly truth: string;
}

/** Most pages per language: some handbooks have 127. */
const pagesEach = 40;
/** A page with less text is a heading and a menu. */
const textCharsMin = 200;
const sentenceCharsMin = 40;

export async function run(args: readonly string[]): Promise<void> {
  const doc = (name: string, path: string) => join(debianPackage(name), 'usr/share/doc', name, path);
  const manuals: Manual[] = [
    { name: 'debian-handbook', folder: doc('debian-handbook', 'html'), english: 'en-US' },
    { name: 'installation-guide', folder: doc('installation-guide-amd64', ''), english: 'en' },
    { name: 'httpd manual', folder: doc('apache2-doc', 'manual'), english: 'en' },
  ];
  const results: Record<string, Record<string, number>> = {};
  for (const manual of manuals) {
    const samples = samplesOf(manual);
    const before = process.cpuUsage();
    const shares = {
      nothing: shareRight(samples, () => '', args.includes('--wrong')),
      own: shareRight(samples, ({ declared }) => declared),
      english: shareRight(samples, () => 'en'),
    };
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 3_000 / samples.length;
    const languages = new Set(samples.map(({ truth }) => truth)).size;
    results[manual.name] = { pages: samples.length, languages, ...shares, ms };
    const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
    process.stdout.write(
      `${manual.name}: ${samples.length} pages in ${languages} languages; right without a declaration ${percent(shares.nothing)}, ` +
        `with their own ${percent(shares.own)}, with English on all ${percent(shares.english)}; ${ms.toFixed(2)} ms a page\n`,
    );
  }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(results)}\n`);
}

function shareRight(samples: readonly Sample[], declared: (sample: Sample) => string, isPrinted = false): number {
  let right = 0;
  for (const sample of samples) {
    const language = languageOf(sample.text, declared(sample));
    if (language === sample.truth) right += 1;
    else if (isPrinted)
      process.stdout.write(`  ${sample.truth}, recognised as ${language || 'nothing'}: ${sample.file}\n`);
  }
  return right / samples.length;
}

function samplesOf({ folder, english }: Manual): Sample[] {
  const samples: Sample[] = [];
  const languages = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[a-z]{2}([-_][A-Za-z]{2})?$/.test(entry.name))
    .map(({ name }) => name);
  for (const language of languages) {
    const below = join(folder, language);
    const files = htmlFiles(below);
    const step = Math.max(1, files.length / pagesEach);
    for (let at = 0; at < files.length; at += step) {
      const file = files[Math.floor(at)]!;
      const truth = truthOf(file, join(folder, english, file.slice(below.length)), declaredCode(language));
      const { text, declaredLanguage } = read(file);
      // The httpd manual has some Portuguese pages among the English ones.
      const isAstray = language === english && !['', 'en'].includes(declaredCode(declaredLanguage));
      if (truth !== null && !isAstray && text.length >= textCharsMin)
        samples.push({ file: file.slice(folder.length), text, declared: declaredLanguage, truth });
    }
  }
  return samples;
}

/** Null: there is no original, or half of the page is translated. */
function truthOf(file: string, original: string, language: string): string | null {
  if (file === original) return 'en';
  if (!existsSync(original)) return null;
  const known = new Set(sentencesOf(original));
  let [same, all] = [0, 0];
  for (const sentence of sentencesOf(file)) {
    all += sentence.length;
    if (known.has(sentence)) same += sentence.length;
  }
  if (same <= all / 5) return language;
  return same >= (4 * all) / 5 ? 'en' : null;
}

/** Paragraphs and similar elements, without code, which is never translated. */
function sentencesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .replace(/<pre[\s\S]*?<\/pre>/gi, '')
    .split(/<\/?(?:p|div|li|h\d|dt|dd|td|th|title)\b[^>]*>/i)
    .map((part) =>
      part
        .replace(/<[^>]*>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((part) => part.length >= sentenceCharsMin);
}

function read(file: string) {
  return parsePage(readFileSync(file), {
    ...{ url: 'http://manual.test/', contentType: 'text/html', robotsTags: [], productToken: 'bench' },
    ...{ linksMax: 1, textCharsMax: 1_000_000, byteBudget: 8 << 20, expired: () => false },
  });
}
