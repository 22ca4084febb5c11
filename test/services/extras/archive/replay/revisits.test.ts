/** Revisit records that refer to nothing that can be shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArchiveIndex } from '../../../../../services/extras/archive/replay/archive-index.ts';
import { openMemento } from '../../../../../services/extras/archive/replay/memento.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { writeWarc } from './warc-file.ts';

const folder = temporaryFolder();
const day = (number: number) => `2026010${number}000000`;
const payload = (name: string) => `http://a.test/${name}`;
let files = 0;

/** The capture of a revisit with these fields, beside the payload of `payload('is')`. */
async function revisit(...fields: readonly string[]) {
  const url = payload('later');
  const file = writeWarc(folder, `revisits-${files++}`, [
    { url: payload('is'), time: day(1), body: 'whole', digest: 'ONE' },
    { url, time: day(2), type: 'revisit', digest: 'NONE', head: 'HTTP/1.1 200 OK', fields },
  ]);
  const index = new ArchiveIndex([{ file }]);
  const found = (await index.survey(url, Date.UTC(2026, 0, 2))) ?? assert.fail('there is no capture');
  return openMemento(index, found.best);
}

test('a revisit refers to the payload of a URL and a time, with or without angle brackets', async () => {
  for (const uri of [payload('is'), `<${payload('is')}>`]) {
    const memento = await revisit(`WARC-Refers-To-Target-URI: ${uri}`, 'WARC-Refers-To-Date: 2026-01-01T00:00:00Z');
    const parts: Buffer[] = [];
    for await (const part of memento.body) parts.push(part as Buffer);
    assert.equal(Buffer.concat(parts).toString(), 'whole');
    await memento.close();
  }
});

test('a revisit that refers to no URL of the web, or to no payload, is an error that names both', async () => {
  const beginning = `${payload('later')} is a revisit record, but`;
  for (const uri of ['urn:uuid:1', 'ftp://a.test/is', 'http://'])
    await assert.rejects(revisit(`WARC-Refers-To-Target-URI: ${uri}`), {
      code: 'INVALID_RECORD',
      message: new RegExp(`${beginning} it refers to an invalid URL$`),
    });
  await assert.rejects(revisit(`WARC-Refers-To-Target-URI: ${payload('none')}`), {
    code: 'INVALID_RECORD',
    message: new RegExp(`${beginning} the payload \\(${payload('none')}\\) is in none of these files$`),
  });
});

test('a revisit that refers to itself, by its time, ends with an error', async () => {
  await assert.rejects(revisit(), { code: 'INVALID_RECORD', message: /is a revisit record, but/ });
});
