/** The package as npm would publish it, installed in projects of others: TypeScript under strict, and JavaScript. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the package', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  /** What it printed. */
  const run = (file: string, args: readonly string[], cwd = folder): string => {
    try {
      return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 26 });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`${file} ${args.join(' ')}:\n${stdout}${stderr}`);
    }
  };
  let files: readonly string[] = [];
  let tarball = '';
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];

  before(() => {
    const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root));
    files = packed.files.map(({ path }: { readonly path: string }) => path);
    write('package.json', JSON.stringify({ name: 'guest', private: true, type: 'module' }));
    tarball = join(folder, packed.filename);
    run('npm', ['install', ...quiet, tarball]);
  });

  it('the package holds programs and documents, and no test', () => {
    const expected = ['README.md', 'LICENSE', 'dist/bundle/crawlstream.js', 'dist/services/library/index.d.ts'];
    for (const file of expected) assert.ok(files.includes(file), file);
    // What is joined into the bundle comes with its licences.
    const licences = readFileSync(join(root, 'dist/bundle/third-party-licences.txt'), 'utf8');
    assert.ok(files.includes('dist/bundle/third-party-licences.txt'));
    for (const name of ['undici', 'zod', 'commander', 'yaml', 'htmlparser2', 'domhandler', 'ip-address'])
      assert.match(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, (MIT|BSD-2-Clause|ISC)\\n\\n`, 'm'));
    assert.deepEqual(
      files.filter((file) => /\.test\.|\.integration\.|^(?:test|services)\/.*\.ts$/.test(file)),
      [],
    );
  });

  it('the package brings a command that prints its version', () => {
    assert.equal(run(join(folder, 'node_modules/.bin/crawlstream'), ['--version']).trim(), version);
  });

  it('the package crawls by npx in a project, and as a global command in any folder, which reads the same data', async () => {
    const small = await startSmallWeb({ hosts: 1, pagesPerHost: 4, domains: 1 });
    const crawl = ['--no', '--', 'crawlstream', ...small.crawlArguments, '--delay', '0', '--data', 'data'];
    await promisify(execFile)('npx', crawl, { cwd: folder });
    const prefix = join(folder, 'global');
    run('npm', ['install', '-g', '--prefix', prefix, ...quiet, tarball]);
    const pages = run(join(prefix, 'bin/crawlstream'), ['pages', '--json', '--data', join(folder, 'data')], prefix);
    const urls = pages.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).url as string]));
    assert.deepEqual(urls.sort(), [...small.plan.expected(small.port).fetch].sort());
  });

  it('the package is imported from JavaScript, by its two names and by no inner path', () => {
    write(
      'javascript/main.js',
      `import { createRequire } from 'node:module';
       import { crawl, createFrontier, defaultPolicy } from 'crawlstream';
       import { consumePages } from 'crawlstream/consumer';
       const inner = await import('crawlstream/dist/bundle/crawlstream.js').catch(({ code }) => code);
       const { version } = createRequire(import.meta.url)('crawlstream/package.json');
       console.log([typeof crawl, typeof createFrontier, typeof defaultPolicy, typeof consumePages, inner, version].join());`,
    );
    const said = run(process.execPath, ['javascript/main.js']).trim();
    assert.equal(said, `function,function,function,function,ERR_PACKAGE_PATH_NOT_EXPORTED,${version}`);
  });

  it('the package has types that compile under strict, and reject errors', () => {
    const options = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
      ...{ target: 'ES2023', module: 'NodeNext', moduleResolution: 'NodeNext', noEmit: true, types: ['node'] },
      typeRoots: [join(root, 'node_modules/@types')],
    };
    write('typescript/tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    write(
      'typescript/main.ts',
      `import { type CrawledPage, crawl, createFrontier, defaultPolicy, type PolicyConfig } from 'crawlstream';
       import { consumePages } from 'crawlstream/consumer';
       const policy: PolicyConfig = defaultPolicy();
       export const titleOf = (page: CrawledPage): string => page.url;
       export const all = [crawl, createFrontier, consumePages, policy];
       // @ts-expect-error: seeds are texts
       crawl(42);`,
    );
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'typescript']);
  });
});
