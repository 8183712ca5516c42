/*
 * `node test/doubles/github/server.ts [PORT]`: the double as a server, with two repositories, for
 * trying a local service by hand. It prints the body that creates the file source. A `PUT` to
 * `/handbook/PATH` writes a file.
 */
import { serveFetch } from "../serve-fetch.ts";
import { GithubDouble, TOKEN } from "./github-double.ts";

const PORT = 28_790;
const GREETING = "The double answers. Create a source with this body:";

const double = new GithubDouble();
const own = double.repository("handbook", true);
own.write("rules/notice.md", "# Notice period\n\nThree months.");
own.write("link", "rules", "120000");
const issue = own.issue("The door rattles", { labels: ["bug"], body: "It **rattles** at night." });
own.comment(issue, "bob", "Oiled the hinge.");
own.collaborators = ["ann", "bob"];
double.people.set("ann", { email: "ann@acme.example" });
double.repository("site").write("index.md", "# Moss garden\n\nOpen on Fridays.");
const fetch = async (address: string, request: RequestInit) => {
  if (request.method !== "PUT") return await double.fetch(address, request);
  const path = new URL(address).pathname.replace("/handbook/", "");
  own.write(path, await new Response(request.body ?? null).text());
  return new Response(null, { status: 204 });
};
const { address } = await serveFetch(fetch, undefined, Number(process.argv[2] ?? PORT));
const config = {
  owner: double.owner,
  issues: true,
  credentials: { token: TOKEN },
  apiBaseUrl: address,
};
process.stderr.write(`${GREETING}\n`);
process.stdout.write(`${JSON.stringify({ name: "Code", provider: "github", config })}\n`);
