/** A broker and a registry where the pages have them: localhost:9092, and http://localhost:8081 with the API at its root. */
import { createServer } from 'node:http';
import { startBroker } from '../../../lab/kafka/broker.ts';
import { skipReason } from '../../../lab/kafka/components.ts';
import { startRegistry } from '../../kafka/registry.ts';

export interface KafkaHere {
  stop(): Promise<void>;
}

/** A sentence where they can't be had. */
export async function startKafkaHere(): Promise<KafkaHere | string> {
  const skip = await skipReason();
  if (skip) return skip;
  const [broker, registry] = await Promise.all([startBroker({ own: true, port: 9092 }), startRegistry()]);
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const type = request.headers['content-type'];
    const answer = await fetch(registry.url + request.url, {
      method: request.method ?? 'GET',
      ...(type !== undefined && { headers: { 'content-type': type } }),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => proxy.listen(8081, '127.0.0.1', resolve));
  return {
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await Promise.all([broker.stop(), registry.stop()]);
    },
  };
}
