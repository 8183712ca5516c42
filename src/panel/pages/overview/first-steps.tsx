import { getCookie, setCookie } from "hono/cookie";

import { DAY_MS, SECOND_MS } from "../../../core/time.ts";
import type { Steps } from "../../../db/maintenance/overview-store.ts";
import { ActionButton, LinkButton, useView } from "../../components/data.tsx";
import { PageHead } from "../../components/page-head.tsx";
import type { PageContext } from "../page-env.ts";

type Step = {
  title: string;
  says: string;
  isDone: boolean;
  /** Where it is done; null: nowhere yet, or it needs no more. */
  href?: string | null;
  label: string;
  /** Whether it is done by sending a form to the address. */
  isPosted?: boolean;
  /** Not for administrators alone. */
  isForAll?: true;
};

function stepsOf({ source, rag, inference, hasFiles, hasToken, hasCalls }: Steps): Step[] {
  const address = (path: string, values: Record<string, string | null>) => {
    const inputs = Object.entries(values).flatMap(([key, value]) =>
      value === null ? [] : [[key, value]],
    );
    return rag === null ? null : `${path}?${new URLSearchParams(inputs).toString()}`;
  };
  return [
    {
      title: "Documents",
      says: "Upload a folder, or connect a website, a bucket or a drive.",
      isDone: hasFiles,
      href: source === null ? "/panel/first-steps/folder" : `/panel/sources/${source}`,
      label: "Upload files",
      isPosted: source === null,
    },
    {
      title: "RAG",
      says: "Indexes your documents as passages that searches find.",
      isDone: rag !== null,
      href: source === null || rag !== null ? null : "/panel/first-steps/rag",
      label: "Create RAG",
      isPosted: true,
    },
    {
      title: "Inference",
      says: "A prompt and a model that answer from the passages.",
      isDone: inference !== null,
      href: address("/panel/new/inference", { rag, name: `Ask ${rag}` }),
      label: "Create inference",
    },
    {
      title: "Token",
      says: "Lets a program call the inference and its RAG, and nothing else.",
      isDone: hasToken,
      href: address("/panel/tokens/new", { rag, inference, name: inference ?? rag }),
      label: "Create token",
    },
    {
      title: "Question",
      says: "Ask the inference. See the answer and the passages that it used.",
      isDone: hasCalls,
      href: inference === null ? null : `/panel/inferences/${inference}`,
      label: "Ask a question",
      isForAll: true,
    },
  ];
}

const Action = ({ step, isNext }: { step: Step; isNext: boolean }) => {
  const { href, label, isPosted } = step;
  if (href == null) return null;
  const kind = isNext ? "primary" : undefined;
  return isPosted === true ? (
    <ActionButton action={href} label={label} {...(kind && { kind })} />
  ) : (
    <LinkButton href={href} label={label} {...(kind && { kind })} />
  );
};

const INDEXING = "Files are still being indexed; answers use those that are finished.";

export const missingSteps = (steps: Steps) => stepsOf(steps).filter(({ isDone }) => !isDone).length;

export const FirstSteps = ({ steps }: { steps: Steps }) => {
  const { mayChange } = useView();
  const all = stepsOf(steps);
  const next = all.find(({ isDone }) => !isDone);
  return (
    <>
      <PageHead
        title={next === undefined ? "Everything is set up." : "From nothing to an answer"}
        sub={`Five steps. You can stop at any step and continue later. ${steps.isIndexing ? INDEXING : ""}`}
        actions={<ActionButton action="/panel/first-steps/close" label="Close" />}
      />
      <ol class="steps">
        {all.map((step, at) => (
          <li class={step.isDone ? "done" : undefined}>
            <span class="number" aria-hidden="true">
              {step.isDone ? "✓" : at + 1}
            </span>
            <div>
              <h2>
                {step.title}
                <span class="hidden">{step.isDone ? ": done" : ": not done"}</span>
              </h2>
              <p>{step.says}</p>
            </div>
            <div class="actions">
              {mayChange || step.isForAll ? <Action step={step} isNext={step === next} /> : null}
              {mayChange && step.isPosted === true && at === 0 ? (
                <LinkButton href="/panel/new/source" label="Use another source" />
              ) : null}
            </div>
          </li>
        ))}
      </ol>
      {mayChange ? null : (
        <p class="soft">An administrator does the first four steps. Everybody can ask.</p>
      )}
    </>
  );
};

const COOKIE = "quarry_first_steps";
const CLOSED = "closed";

/** Browsers keep no cookie longer. */
const KEPT_SECONDS = (400 * DAY_MS) / SECOND_MS;

/** In this browser the overview no longer begins with the checklist. */
export const closeSteps = (context: PageContext) =>
  setCookie(context, COOKIE, CLOSED, {
    httpOnly: true,
    sameSite: "Strict",
    path: "/panel",
    maxAge: KEPT_SECONDS,
  });

export const areStepsClosed = (context: PageContext) => getCookie(context, COOKIE) === CLOSED;
