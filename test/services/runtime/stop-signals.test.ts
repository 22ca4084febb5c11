/** Signals that stop a command. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { stopOnSignals } from '../../../services/runtime/stop-signals.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = () => signals.map((signal) => process.listenerCount(signal));

test('the first signal stops a command, and the second ends it as a shell reports that signal', () => {
  const exit = mock.method(process, 'exit', () => undefined as never);
  const before = listeners();
  try {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      const stop = new AbortController();
      const lines: string[] = [];
      const release = stopOnSignals(stop, 'stopping', (text) => lines.push(text));
      assert.equal(stop.signal.aborted, false);
      process.emit(signal, signal);
      assert.deepEqual([stop.signal.aborted, lines], [true, ['stopping (press again to stop at once)']]);
      assert.equal(exit.mock.callCount(), 0);
      process.emit(signal, signal);
      assert.deepEqual(
        exit.mock.calls.map(({ arguments: [given] }) => given),
        [code],
      );
      assert.match(lines[1]!, /^stopped at once: stored data is safe/);
      release();
      exit.mock.resetCalls();
    }
    assert.deepEqual(listeners(), before);
  } finally {
    exit.mock.restore();
  }
});
