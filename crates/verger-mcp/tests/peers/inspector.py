"""Calls of the command line of the MCP inspector with verger-mcp.

Usage: inspector.py VERGER_MCP FOLDER_OF_NPM
"""

import json
import subprocess
import sys

program, folder = sys.argv[1:]
inspector = [f"{folder}/node_modules/.bin/mcp-inspector", "--cli", program, "--agent", "ExampleBot"]


def run(*arguments):
    output = subprocess.run([*inspector, *arguments], capture_output=True, timeout=120, check=False)
    return json.loads(output.stdout)


tools = {tool["name"]: tool for tool in run("--method", "tools/list")["tools"]}
assert set(tools) == {"check", "fetch", "explain", "rights", "lint", "diff", "crawlers"}, tools
assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values()), tools
assert all("outputSchema" in tool for tool in tools.values()), tools
explain = ["--method", "tools/call", "--tool-name", "explain", "--tool-arg", "url=/a"]
result = run(*explain, "--tool-arg", "robots=User-agent: ExampleBot\nDisallow: /a")
assert result["structuredContent"]["allowed"] is False, result
# A private address, without the permission of the operator.
fetch = ["--method", "tools/call", "--tool-name", "fetch"]
result = run(*fetch, "--tool-arg", "url=http://127.0.0.1:1/")
error = result["structuredContent"]["error"]
assert result["isError"] and error["kind"] == "forbidden_address", result
print("the inspector: 3 calls")
