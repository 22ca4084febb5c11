/**
 * Runs after `npm ci` (`prepare`). It compiles the sources and the dashboard's page into `dist`, and joins the code
 * that the command, its workers and the package's entries load into few files there. Node opens, reads and links each
 * module separately, and 900 of them take as long as the rest of a start. So code of other packages that each crawl
 * needs is joined as well, with their licences beside it. Without the development dependencies (`--omit=dev`) there is
 * no compiler: one line reports it, and the install succeeds.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Packages that are joined: a crawl's start loads a hundred of their files, a third of its processor time. Others stay outside:
 * those with native parts or data of their own, those that few commands load, and avsc, which has to be the one that the
 * registry's client has (services/runtime/avro/avro-types.ts bounds it).
 */
const joined = new Set(['commander', 'franc', 'htmlparser2', 'ipaddr.js', 'socks', 'tldts', 'undici', 'yaml', 'zod']);

const packageOf = (name) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** What our sources import of any other package is left to Node. */
const outside = {
  name: 'outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
      /[\\/]node_modules[\\/]/.test(importer) || joined.has(packageOf(path)) || importer === ''
        ? undefined
        : { path, external: true },
    );
  },
};

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

const root = fileURLToPath(new URL('../../', import.meta.url));
// A published package is compiled already, and contains no sources.
const hasSources = existsSync(join(root, 'tsconfig.json'));
const manifest = join(root, 'node_modules/typescript/package.json');
const bundler = join(root, 'node_modules/esbuild/lib/main.js');
if (hasSources && existsSync(manifest) && existsSync(bundler)) {
  const { bin } = createRequire(import.meta.url)(manifest);
  const tsc = join(dirname(manifest), bin.tsc);
  for (const project of ['.', 'services/dashboard/page']) {
    const { status } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  const { build } = (await import(pathToFileURL(bundler).href)).default;
  const extras = join(root, 'services/extras');
  // An extra with a folder `library` is an entry of the package, under its name.
  const libraries = readdirSync(extras)
    .map((name) => [name, `services/extras/${name}/library/index.ts`])
    .filter(([, file]) => existsSync(join(root, file)));
  const outdir = join(root, 'dist/bundle');
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    outdir,
    // A worker is found beside the file that starts it, so all are in one folder.
    entryPoints: {
      crawlstream: 'services/cli/main.ts',
      library: 'services/library/index.ts',
      consumer: 'services/consumer/consume-pages.ts',
      plugin: 'services/application/plugin/plugin.ts',
      'lease-client': 'clients/typescript/lease-client.ts',
      crawlee: 'clients/crawlee/index.ts',
      ...Object.fromEntries(libraries),
      'parse-worker': 'services/fetcher/pages/parse-worker.ts',
      'loop-watch-worker': 'services/runtime/loop/loop-watch-worker.ts',
      'fetch-worker': 'services/application/workers/fetch-worker.ts',
      'consumer-worker': 'services/application/workers/consumer-worker.ts',
    },
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    plugins: [outside],
    // CommonJS packages ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module';const require = makeRequire(import.meta.url);",
    },
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  writeFileSync(join(outdir, 'third-party-licences.txt'), licencesOf(Object.keys(metafile.inputs)).join('\n---\n\n'));
} else if (hasSources) {
  process.stderr.write(
    'crawlstream: not compiled, as the development dependencies were left out: npm ci, with them, compiles it\n',
  );
}
