import { vi } from "vitest";

/** Answers of the world outside, by address; anything else is not found. */
export type Site = Map<string, () => Response>;

/** Puts a site in the place of the network. Returns the addresses that were asked for. */
export function serve(site: Site): string[] {
  const addresses: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    addresses.push(request.url);
    const answer = site.get(request.url)?.() ?? new Response("not here", { status: 404 });
    const tag = answer.headers.get("etag");
    const same = tag !== null && request.headers.get("if-none-match") === tag;
    return same ? new Response(null, { status: 304, headers: { etag: tag } }) : answer;
  });
  return addresses;
}

/** A page with links and an ETag that follows its text. */
export function page(site: Site, address: string, text: string, links: string[] = []): void {
  const anchors = links.map((link) => `<li><a href="${link}">go</a></li>`).join("");
  const body = `<!doctype html><html lang="en"><title>${address}</title><nav><ul>${anchors}</ul></nav><main><h1>Heading</h1><p>${text}</p></main>`;
  const headers = { "content-type": "text/html; charset=utf-8", etag: JSON.stringify(text) };
  site.set(address, () => new Response(body, { headers }));
}
