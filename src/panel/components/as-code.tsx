import { CodeBlock } from "./code-block.tsx";

/** Quotes a text for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

type CallProps = {
  /** The whole address. */
  url: string;
  body: unknown;
  /** The field of the answer that the example prints. */
  answer: "chunks" | "response";
};

/** The same call as a program makes it; the token comes from the environment. */
export const AsCode = ({ url, body, answer }: CallProps) => (
  <div class="as-code">
    <details open>
      <summary>As curl</summary>
      <CodeBlock label="As curl" text={asCurl(url, body)} />
    </details>
    <details>
      <summary>As TypeScript</summary>
      <CodeBlock label="As TypeScript" text={asTypeScript(url, body, answer)} />
    </details>
  </div>
);

function asCurl(url: string, body: unknown): string {
  return [
    `curl -s ${quoted(url)} \\`,
    `  -H "Authorization: Bearer $QUARRY_TOKEN" \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n");
}

function asTypeScript(url: string, body: unknown, answer: string): string {
  const shown = JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
  return [
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    `  method: "POST",`,
    "  headers: { Authorization: `Bearer ${process.env.QUARRY_TOKEN}` },",
    `  body: JSON.stringify(${shown}),`,
    `});`,
    `if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`);`,
    `const { ${answer} } = await answer.json();`,
  ].join("\n");
}
