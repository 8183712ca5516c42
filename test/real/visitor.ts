/** A browser without a screen: keeps cookies of loopback, follows redirects and sends forms. */
export class Visitor {
  readonly #cookies = new Map<string, Cookie>();

  async go(url: string, form: Record<string, string> | null = null): Promise<Shown> {
    let address = url;
    let body = form === null ? null : new URLSearchParams(form);
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const response = await fetch(address, {
        method: body === null ? "GET" : "POST",
        body,
        redirect: "manual",
        headers: { Cookie: this.#header(new URL(address)), Origin: new URL(address).origin },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      for (const cookie of response.headers.getSetCookie()) this.#keep(cookie, new URL(address));
      const next = response.headers.get("location") ?? refreshOf(response);
      if (next === null) return { url: address, status: response.status, text };
      address = new URL(next, address).href;
      body = null;
    }
    throw new Error(`more than ${MAX_HOPS} redirects from ${url}`);
  }

  /** Sends the first form of a page, with its hidden fields and these. */
  async send({ url, text }: Shown, fields: Record<string, string>): Promise<Shown> {
    const form = /<form[^]*?<\/form>/.exec(text)?.[0] ?? "";
    const hiddenFields = form.matchAll(/<input[^>]*type="hidden"[^>]*>/g);
    const values = [...hiddenFields].map(([input]) => [
      attribute(input, "name"),
      attribute(input, "value"),
    ]);
    const address = new URL(attribute(form, "action"), url).href;
    return await this.go(address, { ...Object.fromEntries(values), ...fields });
  }

  #header({ hostname, pathname }: URL): string {
    const cookies = [...this.#cookies.values()].filter(
      ({ host, path }) => host === hostname && pathname.startsWith(path),
    );
    return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  }

  #keep(cookie: string, { hostname: host }: URL): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    const path = /;\s*path=([^;]*)/i.exec(cookie)?.[1] ?? "/";
    const key = `${host} ${path} ${name}`;
    if (/;\s*max-age=0/i.test(cookie) || value === "") this.#cookies.delete(key);
    else this.#cookies.set(key, { name, value, host, path });
  }
}

type Cookie = { name: string; value: string; host: string; path: string };

export type Shown = { url: string; status: number; text: string };

const MAX_HOPS = 15;
const TIMEOUT_MS = 60_000;

const refreshOf = ({ headers }: Response) =>
  /^0;url=(.*)$/.exec(headers.get("refresh") ?? "")?.[1] ?? null;

const attribute = (tag: string, name: string): string =>
  (new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "").replaceAll("&amp;", "&");
