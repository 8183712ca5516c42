import { serveFetch } from "../doubles/serve-fetch.ts";
import type { Tools } from "./tools.ts";
import { Visitor } from "./visitor.ts";

/**
 * A person's browser for programs of others: `/visit?to=ADDRESS` signs in as the administrator,
 * allows the RAG `docs` and answers with the parameters that `/callback` was called with.
 */
export async function consentingBrowser(tools: Tools): Promise<string> {
  const { address, stop } = await serveFetch(async (requested) => {
    const { pathname, searchParams } = new URL(requested);
    if (pathname === "/callback") return new Response("Connected");
    const person = new Visitor();
    const form = await person.go(searchParams.get("to") ?? "");
    const consent = await person.send(form, { email: "admin@localhost", password: "quarry" });
    const led = await person.send(consent, { rags: "docs", answer: "allow" });
    const back = new URL(led.url);
    if (back.pathname === "/callback") return new Response(back.search.slice(1));
    return new Response(`${led.url}: ${led.text}`, { status: 400 });
  });
  tools.onClose(stop);
  return address;
}
