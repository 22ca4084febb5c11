import assert from 'node:assert/strict';
import { test } from 'node:test';
import { print } from '../../../../services/cli/terminal/print.ts';
import { inert } from '../../../../services/runtime/logging/inert.ts';
import { say } from '../../../../services/runtime/logging/say.ts';

/** A title that renames the window, clears the screen, moves up (C1) and turns the line around. */
const title = 'a\x1b]0;owned\x07\x1b[2J\x9b1A\u202eb\rc';

/** What a terminal is given meanwhile. */
function written(stream: NodeJS.WriteStream, act: () => void): string {
  const { write } = stream;
  let text = '';
  stream.write = ((chunk: string) => {
    text += chunk;
    return true;
  }) as typeof write;
  try {
    act();
  } finally {
    stream.write = write;
  }
  return text;
}

test('strangers’ escape sequences are shown by commands, not obeyed; JSON keeps them', () => {
  const shown = written(process.stdout, () => print({ json: null, text: `${title}\nü\t😀` }, false));
  assert.equal(shown, 'a\\u001b]0;owned\\u0007\\u001b[2J\\u009b1A\\u202eb\\u000dc\nü\t😀\n');
  assert.match(
    written(process.stderr, () => say(title)),
    /^crawlstream: a\\u001b]0/,
  );
  const json = written(process.stdout, () => print({ json: { title }, text: '' }, true));
  assert.equal(json, inert(json));
  assert.deepEqual(JSON.parse(json), { title });
});

test('every bidirectional control character is shown', () => {
  const marks = ['061c', '200e', '200f', '202a', '202b', '202c', '202d', '202e', '2066', '2067', '2068', '2069'];
  for (const code of marks) {
    const mark = String.fromCharCode(Number.parseInt(code, 16));
    assert.equal(inert(`https://a.test/${mark}moc.knab`), `https://a.test/\\u${code}moc.knab`);
  }
});
