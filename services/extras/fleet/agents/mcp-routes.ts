/** `POST /mcp`: MCP's Streamable HTTP, without sessions. It needs the same rights as any call that changes something. */
import type { HttpApp, Routes } from '../../../runtime/http/http-server.ts';
import { problem } from '../../../runtime/http/refusals.ts';
import type { AgentTools } from './agent-tools.ts';
import { serveHttp } from './mcp-server.ts';

export function mcpRoutes(tools: () => AgentTools): Routes {
  return (app: HttpApp) => {
    app.post('/mcp', async (request, reply) => {
      tools();
      reply.hijack();
      await serveHttp(tools, request.raw, reply.raw, request.body);
    });
    // Clients open a separate stream by GET, and end a session by DELETE. Neither exists here.
    app.route({
      method: ['GET', 'DELETE'],
      url: '/mcp',
      handler: (_, reply) =>
        reply.code(405).header('allow', 'POST').send(problem('METHOD_NOT_ALLOWED', 'there is only POST /mcp')),
    });
  };
}
