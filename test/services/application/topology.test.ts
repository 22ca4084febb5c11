import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dot, mermaid, processors } from '../../../services/application/topology.ts';

it('the pictures show every processor with its topics', () => {
  const [picture, drawing] = [mermaid(), dot()];
  for (const { name, reads, writes } of processors) {
    for (const topic of [...reads, ...writes]) assert.match(picture, new RegExp(`\\b${topic.replaceAll('-', '_')}\\b`));
    assert.match(picture, new RegExp(`${name}\\["${name.toUpperCase()}"\\]`));
    assert.match(drawing, new RegExp(`label="${name.toUpperCase()}"`));
  }
});
