import { visible } from "./data.tsx";

/** Copies a text, or that of the element `of`: what is long stands on the page once. */
type CopyProps = { label: string } & ({ text: string } | { of: string });

/** Shown by the page's script, which does the copying. */
export const CopyButton = ({ label, ...from }: CopyProps) => (
  <button
    type="button"
    class="btn small copy"
    {...("text" in from ? { "data-copy": from.text } : { "data-copy-of": from.of })}
    aria-label={`Copy: ${label}`}
    hidden
  >
    Copy
  </button>
);

/** Code or a command, several lines. `label` names it for the copy button. */
export const CodeBlock = ({ text, label }: { text: string; label: string }) => (
  <div class="code">
    <pre tabindex={0} role="region" aria-label={label}>
      <code>{visible(text)}</code>
    </pre>
    <CopyButton text={text} label={label} />
  </div>
);

/** One line of code, broken anywhere. */
export const CodeLine = ({ text, label }: { text: string; label: string }) => (
  <span class="code-line">
    <code class="data">{visible(text)}</code>
    <CopyButton text={text} label={label} />
  </span>
);

/** Quotes a text for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

type CallProps = {
  /** The whole address. */
  url: string;
  headers: Record<string, string>;
  body: unknown;
  /** The field of the answer that the example prints. */
  answer: "chunks" | "response";
};

/** The same call as a program makes it; the token comes from the environment. */
export const AsCode = (call: CallProps) => (
  <div class="as-code">
    <details open>
      <summary>As curl</summary>
      <CodeBlock label="As curl" text={asCurl(call)} />
    </details>
    <details>
      <summary>As TypeScript</summary>
      <CodeBlock label="As TypeScript" text={asTypeScript(call)} />
    </details>
  </div>
);

function asCurl({ url, headers, body }: CallProps): string {
  return [
    `curl -s ${quoted(url)} \\`,
    `  -H "Authorization: Bearer $QUARRY_TOKEN" \\`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`),
    `  -d ${quoted(JSON.stringify(body, null, 2)).replaceAll("\n", "\n  ")}`,
  ].join("\n");
}

const inQuotes = (text: string) => JSON.stringify(text);

function asTypeScript({ url, headers, body, answer }: CallProps): string {
  const named = Object.entries(headers).map((pair) => `, ${pair.map(inQuotes).join(": ")}`);
  const shown = JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
  return [
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    `  method: "POST",`,
    `  headers: { Authorization: \`Bearer \${process.env.QUARRY_TOKEN}\`${named.join("")} },`,
    `  body: JSON.stringify(${shown}),`,
    `});`,
    `if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`);`,
    `const { ${answer} } = await answer.json();`,
  ].join("\n");
}
