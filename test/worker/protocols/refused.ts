const question = { role: "user", content: "How many days of leave are there?" };
const tool = (name: string, description = "") => {
  return { type: "function", function: { name, description } };
};
const called = { name: "f", arguments: "{}" };
const calling = {
  role: "assistant",
  tool_calls: [{ id: "call_1", type: "function", function: called }],
};

/** A wrong part of a chat request, and the parameter that the refusal names. */
export const REFUSED_CHATS: [object, string][] = [
  [{ stream_options: { include_usage: true } }, "stream_options"],
  [{ messages: [] }, "messages"],
  [{ messages: undefined }, "messages"],
  [{ messages: [{ role: "assistant", content: "Hello" }] }, "messages[0].role"],
  [{ messages: [{ role: "user", content: " " }] }, "messages[0].content"],
  [{ messages: [{ role: "tool", content: "x", tool_call_id: "1" }] }, "messages[0].tool_call_id"],
  [{ messages: [question, calling, question] }, "messages[2].role"],
  [{ messages: [question, calling] }, "messages[1].role"],
  [{ messages: [{ role: "robot", content: "x" }] }, "messages[0].role"],
  [{ messages: Array.from({ length: 501 }, () => question) }, "messages"],
  [{ n: 2 }, "n"],
  // Its model is no language model.
  [{ tools: [tool("f")] }, "tools"],
  [{ tools: [tool("f"), tool("f")] }, "tools"],
  [{ tools: Array.from({ length: 129 }, (_, at) => tool(`f${at}`)) }, "tools"],
  [{ tools: [tool("f", "x".repeat(256 * 1_024))] }, "tools"],
  [{ tools: [tool("f f")] }, "tools[0].function.name"],
  [{ tools: [{ type: "custom" }], tool_choice: "required" }, "tool_choice"],
  [{ tools: [{ type: 5 }] }, "tools[0].type"],
  [{ tool_choice: "required" }, "tool_choice"],
  [
    { tools: [tool("f")], tool_choice: { type: "function", function: { name: "g" } } },
    "tool_choice",
  ],
  [{ functions: [{ name: "f" }] }, "functions"],
  [{ temperature: 3 }, "temperature"],
  [{ max_tokens: 0 }, "max_tokens"],
  [{ model: undefined }, "model"],
  [{ response_format: { type: "xml" } }, "response_format.type"],
  [{ response_format: { type: "json_schema" } }, "response_format.json_schema"],
  [
    { response_format: { type: "json_schema", json_schema: { schema: { type: "string" } } } },
    "response_format.json_schema.schema",
  ],
];

function nested(depth: number): unknown {
  let filter: unknown = { type: "eq", key: "a", value: "b" };
  for (let at = 0; at < depth; at++) filter = { type: "and", filters: [filter] };
  return filter;
}

const many = (type: string, count: number) => ({
  type: "or",
  filters: Array.from({ length: count }, () => ({ type, key: "a", value: 1 })),
});

/** Bodies of a vector store's search, and the parameter that the refusal names. */
export const REFUSED_SEARCHES: [object, string][] = [
  [{}, "query"],
  [{ query: " " }, "query"],
  [{ query: Array.from({ length: 11 }, () => "a") }, "query"],
  [{ query: "a", max_num_results: 51 }, "max_num_results"],
  ...(
    [
      [{ type: "like", key: "a", value: "b" }, "filters.type"],
      [{ type: "eq", key: "a", value: { b: 1 } }, "filters.value"],
      [{ type: "gt", key: "path", value: 1 }, "filters.type"],
      [{ type: "lt", key: "a", value: "b" }, "filters.value"],
      [{ type: "in", key: "a", value: "b" }, "filters.value"],
      [{ type: "eq", key: "folder", value: "/" }, "filters.value"],
      [{ type: "and", filters: [{ type: "eq", value: 1 }] }, "filters.filters[0].key"],
      [nested(9), "filters"],
      [nested(10_000), "filters"],
      [many("eq", 51), "filters"],
      [many("gt", 21), "filters"],
      ["path = 1", "filters"],
    ] as const
  ).map(([filters, param]): [object, string] => [{ query: "boiler", filters }, param]),
];
