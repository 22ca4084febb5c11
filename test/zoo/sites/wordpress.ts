/** WordPress with a hundred posts in categories, with tags, threaded comments and monthly archives. */
import { cpSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';
import { proseOf } from '../../../lab/pages/prose.ts';
import { loopbackPort } from '../loopback-port.ts';
import { startServer } from '../server-process.ts';
import type { ZooSite } from '../site.ts';
import { mariadb } from './mariadb.ts';
import { php } from './php.ts';

const posts = 100;
const theme = 'twentytwentyone';

export const wordpress: ZooSite = {
  name: 'wordpress',
  kind: 'dynamic',
  start: async () => {
    const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-'));
    const { command, args, env, run, remove } = php();
    const stops: (() => Promise<void>)[] = [];
    const stop = async () => {
      for (const one of stops.reverse()) await one();
      remove();
      rmSync(own, { recursive: true, force: true });
    };
    try {
      const database = await mariadb(own);
      stops.push(database.stop);
      const port = await loopbackPort();
      const url = `http://127.0.0.1:${port}`;
      const blog = join(own, 'blog');
      layOut(blog, database.socket, url);
      writeFileSync(join(own, 'posts.json'), JSON.stringify(Array.from({ length: posts }, (_, n) => postOf(n))));
      writeFileSync(join(own, 'fill.php'), filling(blog, join(own, 'posts.json')));
      run([join(own, 'fill.php')]);
      const router = join(own, 'router.php');
      writeFileSync(router, routing(blog));
      const listen = ['-S', `127.0.0.1:${port}`, '-t', blog, router];
      stops.push(await startServer(`${url}/`, command, [...args, ...listen], env));
      return { url: `${url}/`, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

function layOut(blog: string, socket: string, url: string): void {
  const filter = (path: string) => !lstatSync(path).isSymbolicLink();
  cpSync(join(debianPackage('wordpress'), 'usr/share/wordpress'), blog, { recursive: true, filter });
  const themes = 'wp-content/themes';
  const below = join(debianPackage(`wordpress-theme-${theme}`), 'usr/share/wordpress', themes);
  cpSync(below, join(blog, themes), { recursive: true, filter });
  writeFileSync(
    join(blog, 'wp-config.php'),
    `<?php
define('DB_NAME', 'zoo'); define('DB_USER', 'zoo'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:${socket}');
define('DB_CHARSET', 'utf8mb4'); define('WP_HOME', '${url}'); define('WP_SITEURL', '${url}');
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true); define('WP_DEFAULT_THEME', '${theme}');
$table_prefix = 'wp_'; if (!defined('ABSPATH')) define('ABSPATH', '${blog}/');
require_once ABSPATH . 'wp-settings.php';
`,
  );
}

function postOf(n: number) {
  const tags = [`tag ${n % 7}`, `tag ${(n * 3) % 11}`];
  const month = `${(n % 12) + 1}`.padStart(2, '0');
  return {
    ...{ title: `${proseOf(n + 2_000, 4)} ${n}`, text: `<p>${proseOf(n, 120)}</p>\n<p>${proseOf(n + 500, 80)}</p>` },
    ...{
      category: `Waters ${n % 5}`,
      tags,
      date: `202${n % 3}-${month}-${`${(n % 27) + 1}`.padStart(2, '0')} 10:00:00`,
    },
    comments: Array.from({ length: n % 4 }, (_, c) => proseOf(n * 10 + c + 5_000, 20)),
  };
}

function filling(blog: string, file: string): string {
  return `<?php
$_SERVER['HTTP_HOST'] = '127.0.0.1'; $_SERVER['REQUEST_URI'] = '/'; $_SERVER['REQUEST_METHOD'] = 'GET'; $_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$socket = null; $config = file_get_contents('${blog}/wp-config.php'); preg_match("/localhost:([^']+)/", $config, $socket);
$made = new mysqli('localhost', 'zoo', '', '', 0, $socket[1]); $made->query('CREATE DATABASE zoo CHARACTER SET utf8mb4'); $made->close();
define('WP_INSTALLING', true);
require '${blog}/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
function wp_mail() { return true; }
wp_install('Waters', 'keeper', 'zoo@example.org', true, '', 'zoo-zoo-zoo-1');
update_option('permalink_structure', '/%year%/%monthnum%/%postname%/');
update_option('thread_comments', 1); update_option('comment_moderation', 0); update_option('comment_previously_approved', 0);
global $wp_rewrite; $wp_rewrite->init(); $wp_rewrite->flush_rules(false);
foreach (json_decode(file_get_contents('${file}'), true) as $post) {
  $category = wp_create_category($post['category']);
  $id = wp_insert_post(['post_title' => $post['title'], 'post_content' => $post['text'], 'post_status' => 'publish', 'post_author' => 1,
    'post_category' => [$category], 'tags_input' => $post['tags'], 'post_date' => $post['date'], 'comment_status' => 'open']);
  $parent = 0;
  foreach ($post['comments'] as $text) $parent = wp_insert_comment(['comment_post_ID' => $id, 'comment_content' => $text,
    'comment_author' => 'Reader', 'comment_author_email' => 'reader@example.org', 'comment_approved' => 1, 'comment_parent' => $parent]);
}
`;
}

/** As .htaccess of WordPress has it: files as they are, everything else to index.php. */
function routing(blog: string): string {
  return `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$file = '${blog}' . $path;
if (is_file($file)) return false;
if (is_dir($file) && is_file($file . '/index.php') && $path !== '/') return false;
$_SERVER['SCRIPT_NAME'] = '/index.php'; $_SERVER['SCRIPT_FILENAME'] = '${blog}/index.php'; $_SERVER['PHP_SELF'] = '/index.php';
chdir('${blog}');
require '${blog}/index.php';
`;
}
