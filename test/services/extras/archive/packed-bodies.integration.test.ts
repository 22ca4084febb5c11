import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { partlyStored } from '../../../../services/extras/archive/gzip-member.ts';

const hasGzip = spawnSync('gzip', ['--version']).status === 0;

it('the program gzip reads members with stored bytes, one after another', {
  skip: hasGzip ? false : 'there is no program gzip',
}, () => {
  const head = 'words that are compressed well '.repeat(300);
  const all = [1, 65_535, 65_536, 300_001].map((length) => Buffer.concat([Buffer.from(head), randomBytes(length)]));
  const input = Buffer.concat(all.map((bytes) => partlyStored(bytes, head.length)));
  const { status, stdout, stderr } = spawnSync('gzip', ['-dc'], { input, maxBuffer: 1 << 28 });
  assert.equal(`${status} ${stderr}`, '0 ');
  assert.ok(stdout.equals(Buffer.concat(all)));
});
