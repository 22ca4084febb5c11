/**
 * `write-paths.ts FOLDER`: writes in each way in which the program stores files. Run with lab/crash/hostile.c
 * preloaded. Prints a line when each way reports that its files are durable. `PLANT=write|rename|append|short`: does
 * one of them with bare calls instead.
 */
import { appendFile, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { derive } from '../../services/extras/archive/derived/derive.ts';
import { replaceFiles } from '../../services/extras/archive/replaced-files.ts';
import { openWarcFolder } from '../../services/extras/archive/warc-folder.ts';
import { type WarcRecord, warcBytes } from '../../services/extras/archive/warc-record.ts';
import { deskSecret } from '../../services/extras/desk/desk-secret.ts';
import { folderDocuments } from '../../services/extras/fleet/documents/folder-documents.ts';
import { writeSubscriptions } from '../../services/extras/push/subscription-file.ts';
import { createBodyFiles } from '../../services/fetcher/http/body-files.ts';
import { writeIdentityFolder } from '../../services/hosting/check/identity-folder.ts';
import { receiptKey } from '../../services/operation/forget/receipt.ts';
import { CommandInbox } from '../../services/runtime/crawl/command-inbox.ts';
import type { DataFolder } from '../../services/runtime/data-folder/data-folder.ts';
import { makeFile, makeFolder, putFile } from '../../services/runtime/disk/durable-names.ts';
import { writeNamedFile } from '../../services/runtime/disk/named-file.ts';
import { openLineWriter } from '../../services/runtime/lines/line-writer.ts';
import { writeLoopNote } from '../../services/runtime/loop/loop-note.ts';
import { createFolderObjects } from '../../services/runtime/objects/folder-objects.ts';
import { createListFiles, readList } from '../../services/runtime/policy/list-files.ts';
import { openJournal } from '../../services/runtime/store/journal/journal.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';

const root = process.argv[2]!;
const text = 'crawled text '.repeat(300);
const clock = { nowMs: () => 0, sleepUntil: async () => {} };

async function archive(folder: string): Promise<string> {
  const warcs = await openWarcFolder(folder, createMemoryStore());
  const block = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n${text}`);
  const head = { atMs: 0, contentType: 'application/http; msgtype=response' };
  const record = { type: 'response', identity: 'one', url: 'https://example.org/', fields: [], block, ...head };
  warcs.begin('one');
  warcs.append(gzipSync(warcBytes(record as WarcRecord)));
  warcs.index('com,example)/ 20260101000000 {"offset":0}');
  await warcs.finish([]);
  return join(folder, 'one.warc.gz');
}

const ways: Record<string, (folder: string) => Promise<unknown>> = {
  'a file that is put': (folder) => putFile(join(folder, 'put'), text),
  'a file that is made once': (folder) => makeFile(join(folder, 'made'), text, 'a'),
  'folders within folders': (folder) => makeFolder(join(folder, 'a', 'b', 'c')),
  'a file that somebody named': (folder) => writeNamedFile(join(folder, 'named'), text),
  'an export of lines': async (folder) => {
    const lines = await openLineWriter(join(folder, 'lines.jsonl'));
    for (let line = 0; line < 50; line++) lines.write(text);
    await lines.finish();
  },
  'an object of a snapshot': (folder) => createFolderObjects(folder).put('a/b', Buffer.from(text)),
  'a file that becomes an object': async (folder) => {
    await writeNamedFile(join(folder, 'from'), text);
    await createFolderObjects(join(folder, 'objects')).putFile('a/b', join(folder, 'from'));
  },
  'a copy of a list': async (folder) => {
    const path = join(folder, 'list');
    await writeNamedFile(path, 'example.org\n'.repeat(50));
    const { sha256 } = await readList(path, 'list');
    const reference = { kind: 'hosts', name: 'list', path, sha256 } as never;
    await createListFiles(join(folder, 'copies')).load([reference], folder);
  },
  'a request of a command': (folder) => {
    const inbox = new CommandInbox({ part: (name: string) => join(folder, name) } as unknown as DataFolder);
    return inbox.post([{ text } as never], 0);
  },
  subscriptions: (folder) => writeSubscriptions(join(folder, 'push'), [{ text } as never]),
  'a document of a fleet': (folder) => folderDocuments(folder).put('one', text),
  'a body of a page': async (folder) => {
    const file = createBodyFiles(folder).open(() => {});
    file.write(Buffer.from(text));
    if ((await file.finish()) === null) throw new Error('the body was not kept');
  },
  'the secret of a desk': (folder) => deskSecret(undefined, join(folder, 'desk', 'secret')),
  'the key of receipts': (folder) => receiptKey(undefined, join(folder, 'keys', 'receipts')),
  'an identity': (folder) => {
    const identity = { version: '1', contact: 'https://example.org/' };
    const wishes = {
      folder: join(folder, 'site'),
      identity,
      keyFile: join(folder, 'key'),
      validMs: 1000,
      networks: [],
    };
    return writeIdentityFolder(wishes, 0);
  },
  'a note of the loop': async (folder) =>
    writeLoopNote(join(folder, 'note'), { format: 1, state: null, stood: null, deaths: [] }),
  'a journal': async (folder) => {
    const journal = await openJournal(join(folder, 'journal'), clock, { intervalMs: 0, fileBytes: 1 << 20 });
    const store = await journal.store(createMemoryStore());
    for (let row = 0; row < 5; row++) await store.write([{ key: Buffer.from(`${row}`), value: Buffer.from(text) }]);
  },
  'an archive': archive,
  'texts of an archive': async (folder) => {
    const file = await archive(folder);
    await mkdir(join(folder, 'out'));
    const pageOf = async () => null;
    await derive({ kind: 'wet', file, out: join(folder, 'out'), pageOf, software: 'one' });
  },
  'files that are replaced': async (folder) => {
    for (const name of ['a.warc.gz', 'a.cdxj']) await writeNamedFile(join(folder, `${name}.forget`), text);
    await replaceFiles(folder, createMemoryStore(), ['a.warc.gz', 'a.cdxj'], []);
  },
};

const planted: typeof ways = {
  write: (folder) => writeFile(join(folder, 'bare'), text),
  append: (folder) => appendFile(join(folder, 'bare'), text),
  short: async (folder) => {
    const file = await open(join(folder, 'bare'), 'w');
    await file.writev([Buffer.from(text)]);
    await file.sync();
    await file.close();
    await makeFolder(join(folder, 'beside'));
  },
  rename: async (folder) => {
    await writeNamedFile(join(folder, 'bare.new'), text);
    await rename(join(folder, 'bare.new'), join(folder, 'bare'));
  },
};

const plant = process.env['PLANT'];
for (const [name, write] of Object.entries(plant === undefined ? ways : { [plant]: planted[plant]! })) {
  const folder = join(root, name.replaceAll(' ', '-'));
  await mkdir(folder);
  const failed = await write(folder).then(
    () => '',
    (error: Error) => error.message,
  );
  process.stdout.write(`${JSON.stringify({ name, folder, failed })}\n`);
}
process.exit(0);
