import { showHidden } from "./data.tsx";

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

type CodeProps = {
  text: string;
  /** Names it for the copy button. */
  label: string;
  /** A part in place of which the page's script writes the question that is being typed. */
  typed?: string | undefined;
};

/** Code or a command, several lines. */
export const CodeBlock = ({ text, label, typed }: CodeProps) => {
  const id = `code-${label.toLowerCase().replaceAll(" ", "-")}`;
  const parts = typed === undefined ? [showHidden(text)] : text.split(typed);
  return (
    <div class="code">
      <pre tabindex={0} role="region" aria-label={label}>
        <code id={typed && id}>
          {parts.map((part, at) => (
            <>
              {at === 0 ? null : <span data-typed={label}>{typed}</span>}
              {part}
            </>
          ))}
        </code>
      </pre>
      <CopyButton {...(typed === undefined ? { text } : { of: id })} label={label} />
    </div>
  );
};

/** One line of code, broken anywhere. */
export const CodeLine = ({ text, label }: { text: string; label: string }) => (
  <span class="code-line">
    <code class="data">{showHidden(text)}</code>
    <CopyButton text={text} label={label} />
  </span>
);

/** Quotes a text for a POSIX shell. */
const quoteShell = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

type CallProps = {
  /** The whole address. */
  url: string;
  headers: Record<string, string>;
  body: unknown;
  /** The field of the answer that the example prints. */
  answer: "chunks" | "response";
};

const LANGUAGES = { curl: asCurl, TypeScript: asTypeScript, Python: asPython };

/** A call as a program makes it; the token comes from the environment. */
export const AsCode = ({ typed, ...call }: CallProps & Pick<CodeProps, "typed">) => (
  <div class="as-code">
    {Object.entries(LANGUAGES).map(([language, write], at) => (
      <details open={at === 0}>
        <summary>As {language}</summary>
        <CodeBlock label={`As ${language}`} text={write(call)} typed={typed} />
      </details>
    ))}
  </div>
);

function asCurl({ url, headers, body }: CallProps): string {
  return [
    `curl -s ${quoteShell(url)} \\`,
    `  -H "Authorization: Bearer $QUARRY_TOKEN" \\`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoteShell(`${name}: ${value}`)} \\`),
    `  -d ${quoteShell(JSON.stringify(body, null, 2)).replaceAll("\n", "\n  ")}`,
  ].join("\n");
}

const quoteJson = (text: string) => JSON.stringify(text);

function asTypeScript({ url, headers, body, answer }: CallProps): string {
  const headerLines = Object.entries(headers).map((pair) => `, ${pair.map(quoteJson).join(": ")}`);
  return [
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    `  method: "POST",`,
    `  headers: { Authorization: \`Bearer \${process.env.QUARRY_TOKEN}\`${headerLines.join("")} },`,
    `  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}),`,
    `});`,
    `if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`);`,
    `const { ${answer} } = await answer.json();`,
  ].join("\n");
}

const PYTHON_WORDS: Record<string, string> = { true: "True", false: "False", null: "None" };
const STRING_OR_WORD = /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g;

function asPython({ url, headers, body, answer }: CallProps): string {
  const headerLines = Object.entries(headers).map((pair) => `, ${pair.map(quoteJson).join(": ")}`);
  const shown = JSON.stringify(body, null, 4)
    .replace(STRING_OR_WORD, (part) => PYTHON_WORDS[part] ?? part)
    .replaceAll("\n", "\n    ");
  return [
    "import os, requests",
    "",
    "answer = requests.post(",
    `    ${quoteJson(url)},`,
    `    headers={"Authorization": f"Bearer {os.environ['QUARRY_TOKEN']}"${headerLines.join("")}},`,
    `    json=${shown},`,
    ")",
    "answer.raise_for_status()",
    `${answer} = answer.json()["${answer}"]`,
  ].join("\n");
}
