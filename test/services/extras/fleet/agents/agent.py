"""An agent's client of MCP, by the SDK of Python's package index: a call a line on stdin, its answer a line on stdout.

    agent.py http://127.0.0.1:8090/mcp
    agent.py COMMAND ARG ...

A call is {"tool": ..., "args": {...}}, or {"list": true}.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def main(server):
    async with Client(server) as client:
        loop = asyncio.get_running_loop()
        while True:
            line = await loop.run_in_executor(None, sys.stdin.readline)
            if line == "":
                return
            call = json.loads(line)
            if call.get("list"):
                tools = (await client.list_tools()).tools
                answer = [tool.model_dump(mode="json", by_alias=True) for tool in tools]
            else:
                try:
                    result = await client.call_tool(call["tool"], call["args"])
                    answer = result.model_dump(mode="json", by_alias=True)
                except Exception as error:
                    answer = {"raised": str(error)}
            print(json.dumps(answer), flush=True)


if len(sys.argv) == 2:
    asyncio.run(main(sys.argv[1]))
else:
    asyncio.run(main(StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])))
