/** MediaWiki on SQLite, with no robots.txt, and fifty articles that link to each other. */
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';
import { proseOf } from '../../../lab/pages/prose.ts';
import { loopbackPort } from '../loopback-port.ts';
import { startServer } from '../server-process.ts';
import type { ZooSite } from '../site.ts';
import { php } from './php.ts';

const articles = 50;

export const mediawiki: ZooSite = {
  name: 'mediawiki',
  kind: 'dynamic',
  start: async () => {
    const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-'));
    const wiki = join(own, 'wiki');
    for (const name of ['mediawiki', 'mediawiki-classes']) {
      // Debian's links lead to places that only an installed package has.
      const filter = (path: string) => !lstatSync(path).isSymbolicLink();
      cpSync(join(debianPackage(name), 'usr/share/mediawiki'), wiki, { recursive: true, filter });
    }
    for (const name of ['images', 'cache', 'extensions']) mkdirSync(join(wiki, name), { recursive: true });
    const port = await loopbackPort();
    const url = `http://127.0.0.1:${port}`;
    const { command, args, env, run, remove } = php();
    mkdirSync(join(own, 'data'));
    const database = ['--dbtype', 'sqlite', '--dbname', 'zoo', '--dbpath', join(own, 'data')];
    const paths = ['--server', url, '--scriptpath', ''];
    run([join(wiki, 'maintenance/install.php'), ...database, ...paths, '--pass', 'zoo-zoo-zoo-1', 'Zoo', 'Keeper']);
    const texts = join(own, 'texts');
    mkdirSync(texts);
    for (let n = 0; n < articles; n++) {
      const links = [1, 2, 3].map((step) => `[[River ${(n * step + step) % articles}]]`).join(' ');
      const text = `${proseOf(n, 150)}\n\n== More ==\n${links} [[Category:Rivers]] [[Missing ${n}]]\n`;
      writeFileSync(join(texts, `River ${n}.txt`), text);
    }
    writeFileSync(
      join(texts, 'Main Page.txt'),
      Array.from({ length: articles }, (_, n) => `* [[River ${n}]]`).join('\n'),
    );
    const sources = readdirSync(texts).map((file) => join(texts, file));
    run([join(wiki, 'maintenance/importTextFiles.php'), '--overwrite', ...sources]);
    const stop = await startServer(`${url}/`, command, [...args, '-S', `127.0.0.1:${port}`, '-t', wiki], env);
    return {
      url: `${url}/index.php?title=Main_Page`,
      stop: async () => {
        await stop();
        remove();
        rmSync(own, { recursive: true, force: true });
      },
    };
  },
};
