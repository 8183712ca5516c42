import { call, ORIGIN, type Call } from "./worker-client.ts";

type Posted = Call & { location: string | null };

/**
 * A browser with its script switched off: it keeps cookies, sends forms from our own pages, and
 * follows the redirect after a form.
 */
export class Browser {
  readonly #cookies = new Map<string, string>();
  html = "";

  /** The `Cookie` header that it would send. */
  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** The page as it is read, without its tags. */
  get text(): string {
    return this.html
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&")
      .replaceAll(/\s+/g, " ")
      .replaceAll(/ (?=[.,] )/g, "");
  }

  async #send(method: string, path: string, headers: Record<string, string>, body?: BodyInit) {
    const answer = await call(method, path, {
      headers: { Cookie: this.cookies, ...headers },
      body,
    });
    for (const set of answer.headers.getSetCookie()) this.#keep(set);
    return answer;
  }

  #keep(set: string) {
    const [pair = ""] = set.split(";", 1);
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (value === "") this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }

  /** Opens a page; the text of its HTML is also in `html`. */
  async open(path: string): Promise<Call> {
    const answer = await this.#send("GET", path, {});
    this.html = String(answer.body);
    return answer;
  }

  /** Sends a form; a redirect is followed once, so that `html` is the page that is seen then. */
  async post(
    path: string,
    fields: Record<string, string | string[]> = {},
    headers: Record<string, string> = { Origin: ORIGIN },
  ): Promise<Posted> {
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) body.append(name, value);
    }
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    return await this.#follow(
      await this.#send("POST", path, { ...type, ...headers }, body.toString()),
    );
  }

  /** Sends a form of another encoding, as `new Response(formData)` packs it. */
  async sendRaw(path: string, packed: Response): Promise<Posted> {
    const body = await packed.arrayBuffer();
    const type = packed.headers.get("Content-Type") ?? "";
    const length = String(body.byteLength);
    const headers = { Origin: ORIGIN, "Content-Type": type, "Content-Length": length };
    return await this.#follow(await this.#send("POST", path, headers, body));
  }

  async #follow(answer: Call): Promise<Posted> {
    const location = answer.headers.get("Location");
    this.html = String(answer.body);
    if (location !== null) await this.open(location);
    return { ...answer, location };
  }

  async signIn(email = "admin@localhost", password = "quarry"): Promise<Browser> {
    await this.post("/panel/sign-in", { email, password });
    return this;
  }
}
