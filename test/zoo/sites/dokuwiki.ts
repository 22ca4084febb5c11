/** DokuWiki with sixty pages in three namespaces, each saved twice, so that there are old versions and differences. */
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';
import { proseOf } from '../../../lab/pages/prose.ts';
import { loopbackPort } from '../loopback-port.ts';
import { startServer } from '../server-process.ts';
import type { ZooSite } from '../site.ts';
import { php } from './php.ts';

const pages = 60;
const namespaces = ['rivers', 'lakes', 'rivers:north'];

export const dokuwiki: ZooSite = {
  name: 'dokuwiki',
  kind: 'dynamic',
  start: async () => {
    const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-'));
    const { command, args, env, run, remove } = php();
    const away = () => {
      remove();
      rmSync(own, { recursive: true, force: true });
    };
    try {
      const wiki = join(own, 'wiki');
      layOut(wiki);
      writeFileSync(join(own, 'texts.json'), JSON.stringify(texts()));
      writeFileSync(join(own, 'fill.php'), filling(wiki, join(own, 'texts.json')));
      run([join(own, 'fill.php')]);
      const port = await loopbackPort();
      const url = `http://127.0.0.1:${port}`;
      const stop = await startServer(`${url}/`, command, [...args, '-S', `127.0.0.1:${port}`, '-t', wiki], env);
      return { url: `${url}/doku.php`, stop: () => stop().then(away) };
    } catch (error) {
      away();
      throw error;
    }
  },
};

/** As DokuWiki's own archive has it: Debian spreads it over /usr, /etc and /var and says so in `inc/preload.php`. */
function layOut(wiki: string): void {
  const from = debianPackage('dokuwiki');
  const filter = (path: string) => !lstatSync(path).isSymbolicLink() && !path.endsWith('inc/preload.php');
  cpSync(join(from, 'usr/share/dokuwiki'), wiki, { recursive: true, filter });
  for (const [there, here] of [
    ['etc/dokuwiki', 'conf'],
    ['var/lib/dokuwiki/data', 'data'],
    ['var/lib/dokuwiki/lib', 'lib'],
  ] as const)
    cpSync(join(from, there), join(wiki, here), { recursive: true, filter });
  for (const name of ['pages', 'cache', 'index', 'locks', 'log', 'tmp'])
    mkdirSync(join(wiki, 'data', name), { recursive: true });
  useLibraries(wiki);
  // Pages of the last five days are not to be indexed by default: these stand for older ones.
  const settings = `<?php $conf['title'] = 'Zoo'; $conf['savedir'] = '${wiki}/data'; $conf['useacl'] = 0; $conf['indexdelay'] = 0;\n`;
  writeFileSync(join(wiki, 'conf/local.php'), settings);
}

/** Debian's DokuWiki takes them from other packages, at the places where these are installed. */
function useLibraries(wiki: string): void {
  const places = [
    ['/usr/share/php/phpseclib', join(debianPackage('php-phpseclib'), 'usr/share/php/phpseclib')],
    ['/usr/share/php-geshi', join(debianPackage('php-geshi'), 'usr/share/php-geshi')],
  ] as const;
  const composer = join(wiki, 'vendor/composer');
  const sources = readdirSync(composer).map((name) => join(composer, name));
  for (const source of [...sources, join(wiki, 'inc/parserutils.php')]) {
    if (!source.endsWith('.php')) continue;
    const text = readFileSync(source, 'latin1');
    const moved = places.reduce((before, [installed, here]) => before.replaceAll(`'${installed}`, `'${here}`), text);
    if (moved !== text) writeFileSync(source, moved, 'latin1');
  }
}

/** Ids with the texts of both versions. */
function texts(): [id: string, before: string, after: string][] {
  const idOf = (n: number) => `${namespaces[n % namespaces.length]}:page_${n}`;
  const all = Array.from({ length: pages }, (_, n): [string, string, string] => {
    const links = [1, 2, 3].map((step) => `[[:${idOf((n * step + step) % pages)}]]`).join(' ');
    const text = `====== ${proseOf(n + 2_000, 4)} ${n} ======\n\n${proseOf(n, 150)}\n\n===== More =====\n${links} [[:missing:page_${n}]]\n`;
    return [idOf(n), text, `${text}\n${proseOf(n + 3_000, 20)}\n`];
  });
  const list = Array.from({ length: pages }, (_, n) => `  * [[:${idOf(n)}]]`).join('\n');
  return [['start', `====== Waters ======\n\n${list}\n`, `====== All waters ======\n\n${list}\n`], ...all];
}

function filling(wiki: string, file: string): string {
  return `<?php
define('DOKU_INC', '${wiki}/'); define('NOSESSION', 1); $_SERVER['REMOTE_ADDR'] = '127.0.0.1'; $_SERVER['HTTP_HOST'] = '127.0.0.1';
require_once DOKU_INC . 'inc/init.php';
$texts = json_decode(file_get_contents('${file}'), true);
foreach ($texts as [$id, $before]) saveWikiText($id, $before, 'created');
sleep(2);
foreach ($texts as [$id, , $after]) saveWikiText($id, $after, 'more');
foreach ($texts as [$id]) idx_addPage($id);
`;
}
