"""A session of the official Python client with verger-mcp and a site on this machine.

Usage: client.py VERGER_MCP
"""

import asyncio
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PAGES = {
    "/robots.txt": "User-agent: *\nDisallow: /no\nContent-Signal: ai-train=no\n",
    "/a": "<p>hello</p>",
}


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        body = PAGES.get(self.path)
        if self.path == "/pay":
            self.send_response(402)
            self.send_header("crawler-price", "USD 0.01")
        else:
            self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body or "")))
        self.end_headers()
        self.wfile.write((body or "").encode())

    def log_message(self, *_):
        pass


async def main(program):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}"
    near = ["--agent", "ExampleBot", "--allow-net", "127.0.0.1"]
    async with stdio_client(StdioServerParameters(command=program, args=near)) as streams:
        async with ClientSession(*streams) as session:
            await session.initialize()
            # The client validates each result against the output schema.
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            assert set(tools) == {"check", "fetch", "explain", "rights", "lint", "diff", "crawlers"}

            async def call(tool, **arguments):
                result = await session.call_tool(tool, arguments)
                data = getattr(result, "structured_content", None) or getattr(
                    result, "structuredContent", None
                )
                error = getattr(result, "is_error", None)
                return data, getattr(result, "isError", error)

            checked, failed = await call("check", urls=[f"{site}/a", f"{site}/no"])
            assert not failed, checked
            assert [answer["allowed"] for answer in checked["answers"]] == [True, False], checked
            checked, failed = await call("check", urls=["http://10.0.0.1/"])
            assert checked["answers"][0]["error"]["kind"] == "forbidden_address", checked
            page, failed = await call("fetch", url=f"{site}/a")
            assert not failed and page["content"]["text"] == "<p>hello</p>", page
            refused, failed = await call("fetch", url=f"{site}/no")
            assert not failed and refused["robots"]["rule"]["line"] == 2, refused
            paid, failed = await call("fetch", url=f"{site}/pay")
            assert paid["edge"]["kind"] == "payment", paid
            report, failed = await call("rights", url=f"{site}/a")
            outcomes = {row["use"]: row["outcome"] for row in report["uses"]}
            assert outcomes["ai_training"] == "refused", report
            explained, failed = await call("explain", url=f"{site}/no/x")
            assert explained["allowed"] is False and explained["matches"], explained
            text = "User-agent: *\nDisalow: /\n"
            found, failed = await call("lint", robots=text)
            assert found["findings"], found
            difference, failed = await call("diff", before="", after="User-agent: *\nDisallow: /\n")
            assert difference["crawlers"], difference
            known, failed = await call("crawlers", name="GPTBot")
            assert known["crawlers"][0]["token"] == "GPTBot", known
            wrong, failed = await call("fetch", url=f"{site}/a", user_agent="Mozilla/5.0")
            assert failed and wrong["error"]["kind"] == "invalid_arguments", wrong
    print("the Python client: 11 calls")


asyncio.run(main(sys.argv[1]))
