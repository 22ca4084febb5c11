/** An operator's order that comes between the desk's look at `control` and the webmaster's order stands, and there is no receipt. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { deskCrawl } from '../../../../services/extras/desk/command/desk-crawl.ts';
import { Desk } from '../../../../services/extras/desk/desk.ts';
import { createSealer } from '../../../../services/extras/desk/sealed.ts';
import { withStates } from '../../../../services/hosting/state/state-source.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('an operator’s order that overtakes a webmaster’s wins', { timeout: 600_000 }, async (t) => {
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html').end(`<title>${url}</title>`);
  });
  const data = join(temporaryFolder(), 'data');
  const run = async (...words: string[]) => {
    const ended = await runCommand([...words, '--data', data]);
    assert.equal(ended.code, 0, ended.stderr);
  };
  const host = `a.test:${site.port}`;
  const crawl = (...paths: string[]) =>
    run(
      ...['crawl', ...['/', ...paths].map((path) => `http://${host}${path}`)],
      ...['--delay', '20ms', '--resolve', `*.test:${site.port}:127.0.0.1`],
    );
  await crawl();
  let overtaking: readonly string[] = [];
  const flags = { data, crawl: 'crawl' };
  await withStates(flags, async (source) => {
    const of = deskCrawl(source, flags, generateKeyPairSync('ed25519').privateKey);
    const desk = new Desk({
      clock: new SystemClock(),
      sealer: createSealer('a secret of some thirty characters'),
      places: { txt: async () => [], request: () => assert.fail(), headers: {} },
      proofMs: 600_000,
      of: {
        ...of,
        send: async (make, said) => {
          const [command, ...more] = overtaking;
          if (command !== undefined) await run(command, host, ...more);
          return of.send(make, said);
        },
      },
    });
    const order = (name: 'pause' | 'resume' | 'delay' | 'remove', delayMs: number | null, ...overtakenBy: string[]) => {
      overtaking = overtakenBy;
      return desk.order({ hostKey: host, how: 'dns', untilMs: Date.now() + 600_000 }, { name, delayMs });
    };
    const pages = () => site.hits.filter(({ path }) => path !== '/robots.txt');

    await order('pause', null);
    await assert.rejects(order('resume', null, 'block'), /only the operator can unblock it/);
    await crawl('/1');
    assert.equal(pages().length, 1);
    await run('unblock', host);

    await assert.rejects(order('delay', 100, 'delay', '1500ms'), /already waits 1\.5 s between requests/);
    await crawl('/2');
    const [, first, second] = pages();
    assert.ok(second!.startMs - first!.endMs >= 1_490, `${second!.startMs - first!.endMs} ms`);

    // Its own longer wait, which it takes back as the operator sets another.
    await order('delay', 4_000);
    await order('delay', null, 'delay', '700ms');
    await crawl('/3', '/4');
    const [third, fourth] = pages().slice(-2);
    const gapMs = fourth!.startMs - third!.endMs;
    assert.ok(gapMs >= 690 && gapMs < 4_000, `${gapMs} ms`);
    assert.equal((await desk.inForce(host)).orders.delayMs, 700);

    await assert.rejects(order('remove', null, 'purge'), /was already removed/);
  });
});
