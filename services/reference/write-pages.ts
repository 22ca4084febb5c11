/** Writes the reference pages and the chart; with `--check` it names those that differ. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { configurationPage } from '../cli/config/describe-settings.ts';
import { aclsText } from '../cli/plan/acls-command.ts';
import { createProgram } from '../cli/program.ts';
import { productVersion } from '../runtime/version.ts';
import { chartPage } from './chart/chart-page.ts';
import { helmChart } from './chart/helm-chart.ts';
import { commandsPage } from './commands-page.ts';
import { countsPage } from './counts-page.ts';
import { limitsPage } from './limits-page.ts';
import { policyPage } from './policy-page.ts';
import { pageRecordPage } from './record-page.ts';
import { sizingPage } from './sizing-page.ts';
import { withTreeMap } from './tree-map.ts';
import { wirePage } from './wire-page.ts';

const root = new URL('../../', import.meta.url);
/** These tables are the lab's, which services do not import. */
const { waysPage } = (await import(new URL('lab/ways/page.ts', root).href)) as { readonly waysPage: () => string };
const { suitePage, cardsPage } = (await import(new URL('lab/judge/suite/page.ts', root).href)) as {
  readonly suitePage: () => string;
  readonly cardsPage: () => string;
};
const program = await createProgram();
const chart = helmChart(productVersion, program, (file) => readFileSync(new URL(`deploy/${file}`, root), 'utf8'));
/** Written by hand but for the list of rights. */
const kafkaPage = withRights(readFileSync(new URL('deploy/KAFKA.md', root), 'utf8'));
const pages = {
  'README.md': withTreeMap(readFileSync(new URL('README.md', root), 'utf8')),
  'deploy/KAFKA.md': kafkaPage,
  'deploy/CONFIGURATION.md': configurationPage(program),
  'deploy/COMMANDS.md': commandsPage(program),
  'deploy/CHART.md': chartPage(chart),
  'deploy/SIZING.md': sizingPage(),
  'docs/policy.md': policyPage(),
  'docs/counts.md': countsPage(),
  'docs/limits.md': await limitsPage(),
  'docs/wire.md': wirePage(),
  'docs/page-record.md': pageRecordPage(),
  'docs/fetch-ways.md': waysPage(),
  'docs/judge-suite.md': suitePage(),
  'docs/judge-cards.md': cardsPage(),
  ...Object.fromEntries(Object.entries(chart.files).map(([name, text]) => [`deploy/helm/crawlstream/${name}`, text])),
};
for (const [name, text] of Object.entries(pages)) {
  const target = new URL(name, root);
  if (!process.argv.includes('--check')) {
    mkdirSync(new URL('.', target), { recursive: true });
    writeFileSync(target, text);
  } else if (textOf(target) !== text) {
    process.stderr.write(`${name} differs from its sources: run npm run generate and commit the result\n`);
    process.exitCode = 1;
  }
}

/** Replaces the list of rights between the two marks of the page. Throws an Error if a mark is missing. */
function withRights(page: string): string {
  const [start, end] = ['<!-- crawlstream acls -->\n```\n', '```\n<!-- end -->'];
  const from = page.indexOf(start) + start.length;
  const to = page.indexOf(end, from);
  if (from < start.length || to === -1) throw new Error(`deploy/KAFKA.md has no ${JSON.stringify([start, end])}`);
  return page.slice(0, from) + aclsText('crawl') + page.slice(to);
}

function textOf(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
