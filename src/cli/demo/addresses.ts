import { shellWord, type Terminal } from "../terminal.ts";
import type { Questions } from "./questions.ts";

export type Addresses = {
  panel: string;
  api: string;
  docs: string;
  openapi: string;
  retrieve: string;
  inference: string;
  agent: string;
};

export function addressesOf(baseUrl: string, identifier: string): Addresses {
  return {
    panel: `${baseUrl}/panel`,
    api: `${baseUrl}/api`,
    docs: `${baseUrl}/api/docs`,
    openapi: `${baseUrl}/api/openapi.json`,
    retrieve: `${baseUrl}/api/rags/${identifier}/retrieve`,
    inference: `${baseUrl}/api/inferences/${identifier}`,
    agent: `${baseUrl}/api/agents/${identifier}/invoke`,
  };
}

/** Prints addresses, and commands that can be pasted into a shell. */
export function showAddresses(
  terminal: Terminal,
  urls: Addresses,
  token: string,
  { query, prompt }: Questions,
): void {
  terminal.say("\nAddresses");
  terminal.say(`  API             ${urls.api}`);
  terminal.say(`  Reference       ${urls.docs}`);
  terminal.say(`  OpenAPI         ${urls.openapi}`);
  terminal.say("\nTry it");
  terminal.say(curl(token, urls.retrieve, { semanticSearch: [query], includeSources: true }));
  terminal.say(curl(token, urls.inference, { prompt, semanticSearch: [prompt] }));
  terminal.say(curl(token, urls.agent, { prompt }));
}

function curl(token: string, url: string, body: object): string {
  const headers = [`Authorization: Bearer ${token}`, "Content-Type: application/json"];
  const given = headers.map((header) => `-H ${shellWord(header)}`).join(" ");
  return `  curl -s ${url} ${given} -d ${shellWord(JSON.stringify(body))}`;
}
