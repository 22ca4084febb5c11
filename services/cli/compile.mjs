/**
 * What `npm ci` runs after it (`prepare`): compiles the sources and the pages for browsers into `dist`, and joins what the
 * command, its workers and the package's entries load into few files there: Node opens, reads and links each module by
 * itself, and 900 of them take as long as all else that a start does. So what each crawl needs of other packages is joined
 * as well, with their licences beside it. The command is one script, so that the code which V8 makes of it can be kept.
 * Without the development dependencies (`--omit=dev`) there is no compiler: that is said in a line, and is no failure of
 * the install.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Packages that are joined: a crawl's start loads a hundred of their files, a third of its processor time. Others stay outside:
 * those with native parts or data of their own, those that few commands load, and avsc, which has to be the one that the
 * registry's client has (services/runtime/avro/avro-types.ts bounds it).
 */
const joined = new Set(['commander', 'franc', 'htmlparser2', 'ipaddr.js', 'socks', 'tldts', 'undici', 'yaml', 'zod']);
/**
 * In the command's script also those of ES modules, of which Node 20 warns where they are required, and three that each
 * crawl's start loads.
 */
const joinedInScript = new Set([
  ...joined,
  'chardet',
  'entities',
  'fastest-levenshtein',
  'html-encoding-sniffer',
  'hyparquet',
  'hyparquet-writer',
]);

const packageOf = (name) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** What our sources import of any package but these is left to Node. */
const outside = (packages) => ({
  name: 'outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
      /[\\/]node_modules[\\/]/.test(importer) || packages.has(packageOf(path)) || importer === ''
        ? undefined
        : { path, external: true },
    );
  },
});

/** The licences of the packages with files among `inputs`, as each requires for copies. */
function licencesOf(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : `\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}`;
    return `${name} ${version}, ${license}${text}\n`;
  });
}

/**
 * A script's own `import()` is an experiment of Node 20, which warns of it: the script is given a function that does the
 * same. As esbuild prints them, names are in double quotes, and file addresses are calls of a part of a module.
 */
const withImportModule = (script) => script.replaceAll(/\bimport\((?="|\(0, )/g, 'importModule(');

const root = fileURLToPath(new URL('../../', import.meta.url));
// A published package is compiled already, and contains no sources.
const hasSources = existsSync(join(root, 'tsconfig.json'));
const manifest = join(root, 'node_modules/typescript/package.json');
const bundler = join(root, 'node_modules/esbuild/lib/main.js');
if (hasSources && existsSync(manifest) && existsSync(bundler)) {
  const { bin } = createRequire(import.meta.url)(manifest);
  const tsc = join(dirname(manifest), bin.tsc);
  const extras = join(root, 'services/extras');
  // Pages of extras, which are compiled for browsers.
  const pages = readdirSync(extras)
    .map((name) => `services/extras/${name}/page`)
    .filter((page) => existsSync(join(root, page, 'tsconfig.json')));
  // Nothing stays of deleted or moved sources: it would be packed. The command stays until it is made anew.
  const dist = join(root, 'dist');
  for (const name of existsSync(dist) ? readdirSync(dist) : [])
    if (name !== 'bundle') rmSync(join(dist, name), { recursive: true });
  for (const project of ['.', ...pages]) {
    const { status } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  const { build } = (await import(pathToFileURL(bundler).href)).default;
  // An extra with a folder `library` is an entry of the package, under its name.
  const libraries = readdirSync(extras)
    .map((name) => [name, `services/extras/${name}/library/index.ts`])
    .filter(([, file]) => existsSync(join(root, file)));
  // Programs of extras that run in other processes, and readers of documents, which parser threads load.
  const programs = readdirSync(extras, { recursive: true })
    .filter((file) => /-(?:process|document)\.ts$/.test(file))
    .map((file) => [basename(file, '.ts'), `services/extras/${file}`]);
  const outdir = join(dist, 'bundle');
  rmSync(outdir, { recursive: true, force: true });
  const common = {
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  };
  const entries = await build({
    ...common,
    outdir,
    // A worker is found beside the file that starts it, so all are in one folder.
    entryPoints: {
      crawlstream: 'services/cli/start.ts',
      library: 'services/library/index.ts',
      consumer: 'services/consumer/consume-pages.ts',
      plugin: 'services/application/plugin/plugin.ts',
      'lease-client': 'clients/typescript/lease-client.ts',
      crawlee: 'clients/crawlee/index.ts',
      ...Object.fromEntries([...libraries, ...programs]),
      'parse-worker': 'services/fetcher/pages/parse-worker.ts',
      'name-server-thread': 'lab/judge/suite/names/name-server-thread.ts',
      'loop-watch-worker': 'services/runtime/loop/loop-watch-worker.ts',
      'fetch-worker': 'services/application/workers/fetch-worker.ts',
      'consumer-worker': 'services/application/workers/consumer-worker.ts',
    },
    chunkNames: 'part-[hash]',
    splitting: true,
    plugins: [outside(joined)],
    // CommonJS packages ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module';const require = makeRequire(import.meta.url);",
    },
    format: 'esm',
  });
  // As kept-code.ts loads it.
  const outfile = join(outdir, 'crawlstream.cjs');
  const script = await build({
    ...common,
    outfile,
    entryPoints: ['services/cli/run-command.ts'],
    plugins: [outside(joinedInScript)],
    define: { 'import.meta.url': 'scriptUrl' },
    banner: { js: '(function (exports, require, module, scriptUrl, importModule) {' },
    footer: { js: '})' },
    format: 'cjs',
  });
  writeFileSync(outfile, withImportModule(readFileSync(outfile, 'utf8')));
  const inputs = [entries, script].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(outdir, 'third-party-licences.txt'), licencesOf(inputs).join('\n---\n\n'));
  await import('./keep-code.mjs');
} else if (hasSources) {
  process.stderr.write(
    'crawlstream: not compiled, as the development dependencies were left out: npm ci, with them, compiles it\n',
  );
}
