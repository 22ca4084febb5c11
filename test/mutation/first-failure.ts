/** A reporter that ends its process with 1 at the first test that fails: more would tell nothing new. */
import type { TestEvent } from 'node:test/reporters';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail') continue;
    yield `${event.data.name}\n`;
    process.exit(1);
  }
}
