import { queuesSettled } from "../../support/queues-settled.ts";
import { call, signedIn } from "../../support/worker-client.ts";

/** Documents that the tests of one file search, made through the panel. */
const NOTES: Record<string, string> = {
  "handbook/leave.md": "# Leave\n\nEveryone has thirty days of leave a year.",
  "handbook/boiler.md": "# Boiler\n\nThe boiler gets its service in spring.",
  "reports/boiler.csv": "part,state\nboiler valve,worn",
};
const SECRETS = { "closed.md": "# Closed\n\nThe boiler code is k4711 and secret." };
const TYPES: Record<string, string> = { csv: "text/csv", html: "text/html" };
export const ASKING = { systemPrompt: "Answer.", model: "embedded/extractive" };

type Panel = Awaited<ReturnType<typeof signedIn>>;

export type ProtocolsWorld = { panel: Panel; token: (covers?: object) => Promise<string> };

const EVERYTHING = { rags: ["*"], inferences: ["*"], agents: ["*"] };

/** RAGs `notes` and `secrets`; inferences `ask`, `plain`, `tools` and `hidden`; agents `helper`, `spy`. */
export async function setUpProtocols(): Promise<ProtocolsWorld> {
  const panel = await signedIn();
  const post = async (path: string, body: object) => await panel.send("POST", path, body);
  await addRag(panel, "notes", NOTES);
  await addRag(panel, "secrets", SECRETS);
  await post("/inferences", { name: "Ask", ...ASKING, rags: ["notes"] });
  await post("/inferences", { name: "Plain", ...ASKING });
  await post("/inferences", { name: "Tools", ...ASKING, nativeRag: false, rags: ["notes"] });
  await post("/inferences", { name: "Hidden", ...ASKING, rags: ["secrets"] });
  const description = "Helps with the handbook.";
  await post("/agents", { name: "Helper", description, ...ASKING, rags: ["notes"] });
  await post("/agents", { name: "Spy", description, ...ASKING, rags: ["secrets"] });
  return {
    panel,
    token: async (covers: object = EVERYTHING) =>
      (await panel.create("/tokens", { name: "Program", ...covers })).token,
  };
}

/** A RAG of pushed files, all indexed. */
export async function addRag(
  panel: Panel,
  name: string,
  files: Record<string, string>,
): Promise<void> {
  await panel.folderWithRag(name);
  for (const [path, text] of Object.entries(files)) {
    const type = TYPES[path.split(".").at(-1) ?? ""] ?? "text/markdown";
    await panel.put(`/file-sources/${name}/files/${path}`, text, type);
  }
  await queuesSettled();
}

/** Calls of one program with its token. */
export function program(token: string | null) {
  const headers: Record<string, string> =
    token === null ? {} : { Authorization: `Bearer ${token}` };
  return {
    get: async (path: string) => await call("GET", path, { headers }),
    post: async (path: string, body: unknown, more: Record<string, string> = {}) =>
      await call("POST", path, {
        headers: { ...headers, ...more },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

/** An error in OpenAI's form, with its status. */
export const openAiErrorOf = ({ status, body }: { status: number; body: unknown }) => {
  const { error } = body as { error: Record<string, unknown> };
  return { status, ...error };
};
