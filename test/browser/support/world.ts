import { dataOf, signIn } from "../../../src/cli/api/clients.ts";
import { waitForIndex } from "../../../src/cli/demo/wait-for-index.ts";
import { openTerminal } from "../../../src/cli/terminal.ts";

export const ADMIN = { email: "admin@localhost", password: "quarry" };
export const MEMBER = { email: "member@quarry.test", password: "a long walk on the moor" };

const DOCUMENTS: Record<string, string> = {
  "handbook/leave.md": "# Leave\n\nFull-time employees have 26 days of paid leave a year.",
  "handbook/part-time.md": "# Part-time\n\nLeave is counted in hours, in proportion to the days.",
  "handbook/travel/trains.md": "# Trains\n\nSecond class, booked two weeks before the journey.",
  "policies/empty.md": "",
};

/** Calls of the panel API with an administrator's key. */
export type Api = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<unknown>;

function apiWith(url: string, key: string): Api {
  return async (method, path, body, headers = {}) => {
    const isText = typeof body === "string";
    const answer = await fetch(`${url}/panel/api${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": isText ? "text/markdown" : "application/json",
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? null : await answer.json();
  };
}

/** One of everything that the panel shows, with a file that cannot be indexed. */
export async function makeWorld(url: string): Promise<Api> {
  const panel = await signIn(url, ADMIN.email, ADMIN.password);
  const body = { name: "browser tests", role: "admin" } as const;
  const { key } = await dataOf(panel.POST("/keys", { body }));
  const api = apiWith(url, key);
  const source = { name: "Handbook files", identifier: "handbook", provider: "file_system" };
  await api("POST", "/file-sources", source);
  for (const [path, text] of Object.entries(DOCUMENTS)) {
    await api("PUT", `/file-sources/handbook/files/${path}`, text);
  }
  const leftOut = { path: "policies/empty.md", excluded: true };
  await api("PUT", "/file-sources/handbook/exclusions", leftOut);
  const rag = { name: "Handbook", identifier: "handbook", fileSource: "handbook" };
  await api("POST", "/rags", { ...rag, reranker: "embedded/lexical" });
  const prompted = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["handbook"] };
  await api("POST", "/inferences", { name: "Ask the handbook", identifier: "ask", ...prompted });
  await api("POST", "/agents", { name: "Handbook agent", identifier: "agent", ...prompted });
  await api("POST", "/file-sources", { name: "Unused", provider: "file_system" });
  await api("POST", "/tokens", { name: "Everything", rags: ["*"] });
  await api("POST", "/users", { ...MEMBER, role: "member" });
  await waitForIndex(panel, "handbook", openTerminal(true));
  await api("POST", "/question-sets", { name: "Leave", rag: "handbook" });
  const question = { question: "How many days?", expected: [{ file: "handbook/leave.md" }] };
  await api("POST", "/question-sets/leave/questions", question);
  await api("POST", "/question-sets/leave/runs", {});
  return api;
}
