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
