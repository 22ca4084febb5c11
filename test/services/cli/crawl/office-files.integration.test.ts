/** Office files and a book that other programs wrote, crawled by the command line: text, titles and links; hostile ones are lost alone. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { bombOf, officeTypes } from '../../extras/office/office-files.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const packages = ['python-docx==1.1.2', 'openpyxl==3.1.5', 'odfpy==1.4.1', 'ebooklib==0.18'];

const writer = `
import sys, docx, openpyxl
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from odf.dc import Language, Title
from odf.opendocument import OpenDocumentText
from odf.text import A, H, P
from ebooklib import epub
folder, site = sys.argv[1:]

d = docx.Document()
d.core_properties.title = 'Tides of the Harbor'
d.add_heading('Low water', 1)
p = d.add_paragraph('At noon & at ')
p.add_run('midnight').bold = True
link = OxmlElement('w:hyperlink')
link.set(qn('r:id'), d.part.relate_to(site + '/from-docx', RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
run, text = OxmlElement('w:r'), OxmlElement('w:t')
text.text = '(source)'
run.append(text); link.append(run); p._p.append(link)
table = d.add_table(1, 2)
table.cell(0, 0).text, table.cell(0, 1).text = 'Day', 'Metres'
d.save(folder + '/docx')

w = openpyxl.Workbook()
w.properties.title = 'Tide table'
w.active.title = 'June'
w.active.append(['Day', 'Metres'])
w.active.append(['Monday', 1.25])
w.active['A3'] = 'More'
w.active['A3'].hyperlink = site + '/from-xlsx'
hidden = w.create_sheet('Hidden')
hidden.append(['secret'])
hidden.sheet_state = 'hidden'
w.save(folder + '/xlsx')

o = OpenDocumentText()
o.meta.addElement(Title(text='Harbor notes'))
o.meta.addElement(Language(text='de'))
o.text.addElement(H(outlinelevel=1, text='Ebbe'))
p = P(text='Um zwölf, siehe ')
p.addElement(A(href=site + '/from-odt', text='Quelle'))
o.text.addElement(p)
o.save(folder + '/odt')

b = epub.EpubBook()
b.set_identifier('harbor'); b.set_title('The Harbor'); b.set_language('en')
chapters = []
for n in (2, 1):
    c = epub.EpubHtml(title='Chapter', file_name='c%d.xhtml' % n, lang='en')
    c.content = '<h1>Chapter %d</h1><p>Low <b>water</b>. <a href="c1.xhtml">inside</a> <a href="%s/from-epub-%d">out</a></p>' % (n, site, n)
    b.add_item(c); chapters.append(c)
b.add_item(epub.EpubNcx()); b.add_item(epub.EpubNav())
b.spine = chapters
epub.write_epub(folder + '/epub', b)
`;

test('text, titles and links of office files are crawled if asked for; a bomb is lost alone', async () => {
  const folder = temporaryFolder();
  const python = join(pythonEnvironment('office-files', packages), 'bin/python');
  const bomb = await bombOf(200 * 1024 * 1024);
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    paths.push(url);
    const type = officeTypes[url.slice(1) as keyof typeof officeTypes];
    if (type !== undefined) response.setHeader('content-type', type).end(readFileSync(join(folder, url)));
    else if (url === '/bomb') response.setHeader('content-type', officeTypes.docx).end(bomb);
    else if (url === '/cut') response.setHeader('content-type', officeTypes.xlsx).end(bomb.subarray(0, 5_000));
    else {
      const named = [...Object.keys(officeTypes), 'bomb', 'cut'].map((to) => `<a href="/${to}">x</a>`).join('');
      response.setHeader('content-type', 'text/html').end(url === '/' ? named : `page ${url}`);
    }
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  execFileSync(python, ['-c', writer, folder, site]);

  const rules = join(folder, 'rules.yaml');
  writeFileSync(rules, 'office: true\n');
  const data = ['--data', join(folder, 'data')];
  const crawl = ['crawl', `${site}/`, '--allow-private', '--contact', 'me@example.org', '--delay', '0', '--json'];
  const without = await runCommand([...crawl, '--data', join(folder, 'without')]);
  assert.equal(without.code, 0, without.stderr);
  assert.equal(lastJson(without)['pages'], 1, 'they are not read otherwise');

  const first = await runCommand([...crawl, '--extract', rules, ...data]);
  assert.equal(first.code, 0, first.stderr);
  const linked = ['/from-docx', '/from-epub-1', '/from-epub-2', '/from-odt', '/from-xlsx'];
  assert.deepEqual(paths.filter((path) => path.startsWith('/from')).toSorted(), linked);
  const exported = await runCommand(['export', 'pages', '--format', 'jsonl', ...data]);
  const rows = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; title: string; text: string })
    .filter(({ url }) => !url.startsWith(`${site}/from`) && url !== `${site}/`)
    .map(({ url, title, text }) => [url.slice(site.length), title, text]);
  assert.deepEqual(rows.toSorted(), [
    ['/docx', 'Tides of the Harbor', 'Low water\nAt noon & at midnight(source)\nDay\nMetres'],
    [
      '/epub',
      'The Harbor',
      'Chapter 2 Low water . inside out\nChapter 1 Low water . inside out'.replaceAll(' . ', '. '),
    ],
    ['/odt', 'Harbor notes', 'Ebbe\nUm zwölf, siehe Quelle'],
    ['/xlsx', 'Tide table', 'June\nDay\tMetres\nMonday\t1.25\nMore'],
  ]);
  for (const path of ['/bomb', '/cut']) {
    const { stdout } = await runCommand(['explain', site + path, ...data]);
    assert.match(stdout, /parseFailed/, `${path}: ${stdout}`);
  }
});
