/** `POST /mcp`: MCP's Streamable HTTP, without sessions. Who may call is decided as for any call that changes something. */
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
    // A client asks for a separate stream, or ends a session: neither exists.
    app.route({
      method: ['GET', 'DELETE'],
      url: '/mcp',
      handler: (_, reply) =>
        reply.code(405).header('allow', 'POST').send(problem('METHOD_NOT_ALLOWED', 'there is only POST /mcp')),
    });
  };
}
