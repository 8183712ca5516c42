"""Calls /mcp by the official SDK; prints a line for each thing that it tried."""

import asyncio
import json
import os

from mcp.client import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

URL = os.environ["MCP_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}


async def check(title, attempt):
    try:
        outcome = await attempt
    except Exception as failure:  # every failure is reported by its title
        outcome = f"{type(failure).__name__}: {failure}"
    print(f"ok {title}" if outcome is True else f"failed {title}: {outcome!r}")


async def tools(client):
    names = [tool.name for tool in (await client.list_tools()).tools]
    return names == ["search", "fetch"] or names


async def first_of(client, query):
    return (await client.call_tool("search", {"query": query})).structured_content["results"][0]


async def search(client):
    title = (await first_of(client, "days of leave"))["title"]
    return "leave" in title.lower() or title


async def fetch(client):
    place = await first_of(client, "otters")
    whole = await client.call_tool("fetch", {"id": place["id"]})
    return "alder" in json.dumps(whole.structured_content)


async def wrong(client):
    return (await client.call_tool("search", {})).is_error is True


async def resources(client):
    place = (await client.list_resources()).resources[0]
    return bool((await client.read_resource(place.uri)).contents[0].text)


async def unauthorized():
    async with create_mcp_http_client() as http:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accepted = {"Accept": "application/json, text/event-stream"}
        answer = await http.post(URL, json=body, headers=accepted)
        return answer.status_code == 401 and "resource_metadata" in answer.headers["www-authenticate"]


async def main():
    for mode in ("auto", "legacy"):
        async with create_mcp_http_client(headers=HEADERS) as http:
            async with Client(streamable_http_client(URL, http_client=http), mode=mode) as client:
                print(f"connected by {client.protocol_version}")
                await check(f"{mode}: tools are listed", tools(client))
                await check(f"{mode}: a search finds a passage", search(client))
                await check(f"{mode}: a fetch gives the whole file", fetch(client))
                await check(f"{mode}: wrong arguments are an error of the tool", wrong(client))
                await check(f"{mode}: resources are listed and read", resources(client))
    await check("without a token, 401 names the metadata", unauthorized())


asyncio.run(main())
