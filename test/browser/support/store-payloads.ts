import { LONG_PAYLOAD, PAYLOADS } from "./payloads.ts";
import type { Api } from "./world.ts";

/** Every payload in every field that takes it. */
export async function storePayloads(api: Api): Promise<void> {
  const source = { name: PAYLOADS[0], identifier: "hostile", provider: "file_system" };
  await api("POST", "/file-sources", source);
  await api("POST", "/rags", {
    name: PAYLOADS[1],
    identifier: "hostile",
    fileSource: "hostile",
    reranker: "embedded/lexical",
  });
  const work = PAYLOADS.map((payload, at) => async () => {
    const name = payload.slice(0, 190);
    const prompted = { systemPrompt: payload + LONG_PAYLOAD, model: "embedded/extractive" };
    // A path with control characters is refused, and a slash would begin a folder.
    const path = payload.replaceAll("/", "|").replaceAll(/\p{Cc}/gu, "");
    const file = `files/${encodeURIComponent(path)}.md`;
    const text = `# ${payload}\n\n${payload} window executed`;
    await api("PUT", `/file-sources/hostile/${file}`, text, {
      "X-File-Metadata": ascii({ labels: [payload], [payload.slice(0, 60)]: payload }),
    });
    await api("POST", "/keys", { name, role: "member" });
    // Passwords are hashed slowly on purpose.
    if (at % 10 === 0)
      await api("POST", "/users", { email: `${at}${mailable(payload)}@x.test`, ...READER });
    await api("POST", "/tokens", { name, rags: ["hostile"] });
    const identifier = `hostile-${at}`;
    await api("POST", "/inferences", { name, identifier, ...prompted, rags: ["hostile"] });
    if (at < 10) {
      await api("POST", "/agents", { name, identifier, description: payload, ...prompted });
      await api("POST", "/file-sources", { name, identifier, provider: "file_system" });
    }
  });
  await api("PUT", "/models", modelsNamed());
  const scopes = PAYLOADS.map((value) => ({ type: "externalId", value: printable(value) }));
  await api("POST", "/rags", {
    name: PAYLOADS[2],
    identifier: "hostile-scopes",
    fileSource: "hostile",
    scopeMode: "scoped",
    scopes: scopes.filter(({ value }) => value !== ""),
  });
  const lanes = Array.from({ length: 6 }, async () => {
    for (let next = work.shift(); next !== undefined; next = work.shift()) await next();
  });
  await Promise.all(lanes);
}

const READER = { password: "quiet amber lantern", role: "member" };

/** A header holds ASCII only. */
const ascii = (value: unknown) =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (letter) => String.raw`\u` + letter.charCodeAt(0).toString(16).padStart(4, "0"),
  );

/** Without what the field refuses by its form. */
const printable = (payload: string) => payload.replaceAll(/\p{Cc}/gu, "");
const mailable = (payload: string) => payload.replaceAll(/[\s@\p{Cc}]/gu, "").slice(0, 150);

const modelsNamed = () =>
  PAYLOADS.map((payload, at) => ({
    model: `m-${at}/${payload.replaceAll(/[\n\r\u2028\u2029]/g, "").slice(0, 180)}`,
    kind: "chat",
    inputPrice: 1,
    outputPrice: 1,
    currency: "EUR",
  }));
