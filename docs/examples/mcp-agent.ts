/**
 * An MCP client: it lists the tools that its token permits, searches, reads the best file and asks
 * an agent. In an assistant, the model chooses these calls.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { QUARRY_URL, QUARRY_TOKEN } = process.env;
const [question = "How many days of leave are there?"] = process.argv.slice(2);

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${QUARRY_URL}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${QUARRY_TOKEN}` } },
  }),
);

const { tools } = await client.listTools();
console.log(`Tools: ${tools.map(({ name }) => name).join(", ")}`);

type Found = { results: { id: string; title: string }[] };
const call = async (name: string, args: Record<string, unknown>) => {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
  return structuredContent;
};

const { results } = (await call("search", { query: question, topK: 3 })) as Found;
for (const { id } of results) console.log(`Found: ${id}`);

const [best] = results;
if (best !== undefined) {
  const { text } = (await call("fetch", { id: best.id })) as { text: string };
  console.log(`${best.id} has ${text.length} characters.`);
}

const agent = tools.find(({ name }) => name.startsWith("agent_"));
if (agent !== undefined) {
  const { answer } = (await call(agent.name, { prompt: question })) as { answer: string };
  console.log(`${agent.name}: ${answer}`);
}
await client.close();
