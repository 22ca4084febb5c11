/**
 * Manuals of Debian packages with a separate element for the text of a page. The element is determined by hand, and so
 * are its parts that are not text: lists of headings, links to the section itself, buttons.
 */
import { join } from 'node:path';
import { debianPackage, htmlFiles } from './debian-package.ts';

export interface Manual {
  readonly name: string;
  readonly package: string;
  /** Below `/usr/share/doc/`. */
  readonly folder: string;
  /** Selectors of the element with the text: the first one that matches counts. */
  readonly text: readonly string[];
  /** Selectors of elements that are not text. */
  readonly less: string;
  /** Files that are not pages of the manual: sources, indexes, search results. */
  readonly not?: RegExp;
}

const sphinx = { text: ['div.body'], less: '.headerlink, .contents.topic, .contents.local, .sphinxsidebar' };
const sphinxNot = /(^|\/)(genindex|search|py-modindex|_modules|contents)/;

export const manuals: readonly Manual[] = [
  { name: 'Sphinx (Python)', package: 'python3.11-doc', folder: 'python3.11/html', ...sphinx, not: sphinxNot },
  {
    ...{ name: 'DocBook (PostgreSQL)', package: 'postgresql-doc-15', folder: 'postgresql-doc-15/html' },
    ...{ text: ['body'], less: '.navheader, .navfooter, .toc', not: /bookindex|\/index\.html$/ },
  },
  {
    ...{ name: 'Publican (Debian handbook)', package: 'debian-handbook', folder: 'debian-handbook/html/en-US' },
    ...{ text: ['body'], less: '#banner, #title, .docnav, .toc, .breadcrumbs', not: /\/ix\d+\.html$/ },
  },
  {
    ...{ name: 'XSLT (httpd)', package: 'apache2-doc', folder: 'apache2-doc/manual/en' },
    ...{ text: ['#page-content'], less: '.toplang, #quickview, .permalink, button, #comments_section' },
  },
  {
    ...{ name: 'rustdoc (std)', package: 'rust-doc', folder: 'rust-doc/html/std' },
    ...{ text: ['#main-content'], less: '[class^=out-of], .test-arrow, summary.hideme, .source, .anchor, .srclink' },
  },
  {
    ...{ name: 'mdBook (Rust book)', package: 'rust-doc', folder: 'rust-doc/html/book' },
    ...{ text: ['main', 'body'], less: '#versioninfo, .test-arrow', not: /\/(toc|print)\.html$/ },
  },
  {
    ...{ name: 'gtk-doc (GLib)', package: 'libglib2.0-doc', folder: '../gtk-doc/html' },
    ...{ text: ['body'], less: 'table.navigation, .toc, .footer', not: /index|annotation-glossary/ },
  },
  {
    ...{ name: 'AsciiDoc (Git)', package: 'git-doc', folder: 'git-doc' },
    ...{ text: ['body'], less: '#toc, #footer' },
  },
  {
    ...{ name: 'MkDocs', package: 'mkdocs-doc', folder: 'mkdocs/html' },
    ...{ text: ['.col-md-9'], less: '.headerlink', not: /\/(404|search)\.html$/ },
  },
  {
    ...{ name: 'by hand (SQLite)', package: 'sqlite3-doc', folder: 'sqlite3' },
    ...{ text: ['body'], less: '.menu, .searchmenu, .tagline, .fancy_toc, .hdspace', not: /keyword_index|syntax\// },
  },
  {
    ...{ name: 'remark (Node.js)', package: 'nodejs-doc', folder: 'nodejs/api' },
    ...{ text: ['#apicontent'], less: '#toc, .mark, .copy-button', not: /\/(all|index)\.html$/ },
  },
  {
    ...{ name: 'javadoc (JDK)', package: 'openjdk-17-doc', folder: 'openjdk-17-jre-headless/api' },
    ...{ text: ['main'], less: '.sub-title, .table-tabs', not: /index|-tree|-use|class-use|\/(?:help|search)/ },
  },
  {
    ...{ name: 'Doxygen (Eigen)', package: 'libeigen3-doc', folder: 'libeigen3-dev/html' },
    ...{
      text: ['#doc-content'],
      less: '.summary, .toc, iframe',
      not: /\/search\/|_source\.html|-members\.html|\/dir_|graph|\/(files|annotated|classes)|functions_/,
    },
  },
  {
    ...{ name: 'XSLT (Erlang)', package: 'erlang-doc', folder: 'erlang-doc' },
    ...{ text: ['#content'], less: '.footer, footer', not: /users_guide|index\.html|\/doc\/doc\// },
  },
  {
    ...{ name: 'Sphinx (CMake)', package: 'cmake-doc', folder: 'cmake-data/html', ...sphinx, not: sphinxNot },
  },
  {
    ...{ name: 'Sphinx (Django)', package: 'python-django-doc', folder: 'python-django-doc/html', text: ['#yui-main'] },
    ...{ less: sphinx.less, not: sphinxNot },
  },
];

/** Most pages of a manual, spread evenly over it. */
export function pagesOf(manual: Manual, pagesMax: number): string[] {
  const all = htmlFiles(join(debianPackage(manual.package), 'usr/share/doc', manual.folder));
  const wanted = all.filter((file) => !(manual.not?.test(file) ?? false));
  const step = Math.max(1, wanted.length / pagesMax);
  return Array.from({ length: Math.min(pagesMax, wanted.length) }, (_, n) => wanted[Math.floor(n * step)]!);
}
