import { CodeBlock, CodeLine } from "./code-block.tsx";
import { showHidden } from "./data.tsx";

export const Notice = ({ text }: { text: string }) => (
  <p class="notice ok" role="status">
    {showHidden(text)}
  </p>
);

export const ShownOnce = ({ label, value }: { label: string; value: string }) => (
  <section class="notice once" role="status" aria-label={label}>
    <p>
      <strong>{label}</strong> Copy it now. It is not shown again.
    </p>
    {value.includes("\n") ? (
      <CodeBlock text={value} label={label} />
    ) : (
      <CodeLine text={value} label={label} />
    )}
  </section>
);

/** Something that somebody has to look at. */
export const Warning = ({ text }: { text: string }) => (
  <p class="notice bad" role="alert">
    {showHidden(text)}
  </p>
);
