import { visible } from "./data.tsx";

/** Shown by the page's script, which does the copying. */
export const CopyButton = ({ text, label }: { text: string; label: string }) => (
  <button
    type="button"
    class="btn small copy"
    data-copy={text}
    aria-label={`Copy: ${label}`}
    hidden
  >
    Copy
  </button>
);

/** Copies the text of the element with this id: what is long stands on the page once. */
export const CopyOf = ({ id, label }: { id: string; label: string }) => (
  <button
    type="button"
    class="btn small copy"
    data-copy-of={id}
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
