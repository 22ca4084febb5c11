/** Hubs that headers and feeds name, as they were when they were kept. */
import { it } from 'node:test';
import { hubLinks } from '../../../../topology/extras/push/hub-links.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../../kept/drawn.ts';

const url = (draw: Draw) => `https://${draw.of(['a.test', 'b.test', 'c.test', 'd.test:8080'])}/${draw.below(12)}`;

function* hubs(draw: Draw): Generator<unknown> {
  const rel = () => draw.of(['hub', '"hub"', 'self', '"self alternate"', 'next', 'HUB']);
  for (let round = 0; round < 30; round++) {
    const header = draw
      .list(draw.below(4), () => `<${draw.of([url(draw), '/rel', 'ftp://x/'])}>; rel=${rel()}`)
      .join(', ');
    const text = draw
      .list(
        draw.below(4),
        () =>
          `<${draw.of(['link', 'atom:link', 'a', 'LINK'])} rel="${draw.of(['hub', 'self', 'x'])}" href='${url(draw)}?a=1&amp;b'/>`,
      )
      .join('<x>');
    yield hubLinks(draw.percent(60) ? [header] : [], text, 'https://a.test/feed');
  }
}

it('hubs are read as recorded', () => assertKept(new URL('hubs.json', import.meta.url), bySeed(8, hubs)));
