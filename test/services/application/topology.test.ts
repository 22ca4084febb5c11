import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mermaid, processors } from '../../../services/application/topology.ts';
import { topicNames } from '../../../topology/topics.ts';

const services = fileURLToPath(new URL('../../../services/', import.meta.url));

it('services name only the topics that the graph gives them', () => {
  for (const { name, reads, writes } of processors) {
    const text = (readdirSync(services + name, { recursive: true }) as string[])
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(`${services}${name}/${file}`, 'utf8'))
      .join('\n');
    for (const topic of topicNames) {
      if (reads.includes(topic) || writes.includes(topic)) continue;
      assert.doesNotMatch(text, new RegExp(`['\`.]${topic}['\`]`), `${name} touches ${topic}`);
    }
  }
});

it('the picture shows every processor with its topics', () => {
  const picture = mermaid();
  for (const { name, reads, writes } of processors) {
    for (const topic of [...reads, ...writes]) assert.match(picture, new RegExp(topic.replaceAll('-', '_')));
    assert.match(picture, new RegExp(`${name}\\["${name.toUpperCase()}"\\]`));
  }
});
