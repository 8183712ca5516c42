import type { Child } from "hono/jsx";

import type { Steps } from "../../../db/maintenance/steps-store.ts";
import { ActionButton } from "../../components/form.tsx";
import { PageHead } from "../../components/page-head.tsx";

type Step = { title: string; says: string; done: boolean; action: Child };

/** How many steps are left. */
export function doneOf(steps: Steps): { missing: number } {
  return { missing: stepsOf(steps, false).filter(({ done }) => !done).length };
}

const Go = ({ href, label, isNext }: { href: string; label: string; isNext: boolean }) => (
  <a class={isNext ? "btn primary" : "btn"} href={href}>
    {label}
  </a>
);

/** The five steps, with what is there already named in the addresses of those that follow. */
function stepsOf(steps: Steps, mayAct: boolean): Step[] {
  const { source, rag, inference } = steps;
  const upload = source === null ? null : `/panel/sources/${source}`;
  const next = nextOf(steps);
  const only = (action: Child) => (mayAct ? action : null);
  return [
    {
      title: "Documents",
      says: "Upload a folder, or name a web site, a bucket or a drive.",
      done: steps.hasFiles,
      action: only(
        upload === null ? (
          <FirstFolder />
        ) : (
          <Go href={upload} label="Add documents" isNext={next === 0} />
        ),
      ),
    },
    {
      title: "RAG",
      says: "The index of a source: its documents, cut into passages that can be found.",
      done: rag !== null,
      action: only(
        source === null ? null : (
          <ActionButton
            action="/panel/first-steps/rag"
            label="Make a RAG of it"
            kind={next === 1 ? "primary" : "plain"}
          />
        ),
      ),
    },
    {
      title: "Inference",
      says: "A prompt and a model that answer from the passages.",
      done: inference !== null,
      action: only(
        rag === null ? null : (
          <Go
            href={`/panel/inferences/new?rag=${rag}`}
            label="Make an inference"
            isNext={next === 2}
          />
        ),
      ),
    },
    {
      title: "Token",
      says: "What a program shows to be let in, with just the rights that it needs.",
      done: steps.hasToken,
      action: only(
        rag === null ? null : (
          <Go href="/panel/tokens/new" label="Make a token" isNext={next === 3} />
        ),
      ),
    },
    {
      title: "Ask",
      says: "Search what was indexed, and see why each passage was found.",
      done: steps.hasCalls,
      action:
        rag === null ? null : (
          <Go href={`/panel/search?rag=${rag}`} label="Ask something" isNext={next === 4} />
        ),
    },
  ];
}

/** The first step that is left. */
function nextOf({ hasFiles, rag, inference, hasToken, hasCalls }: Steps): number {
  return [hasFiles, rag !== null, inference !== null, hasToken, hasCalls].indexOf(false);
}

const FirstFolder = () => (
  <span class="actions">
    <ActionButton action="/panel/first-steps/folder" label="Upload files" kind="primary" />
    <a class="btn" href="/panel/sources/new">
      Another source
    </a>
  </span>
);

export const FirstSteps = ({ steps, mayAct }: { steps: Steps; mayAct: boolean }) => {
  const all = stepsOf(steps, mayAct);
  const left = all.filter(({ done }) => !done).length;
  return (
    <>
      <PageHead
        title={left === 0 ? "Everything is set up." : "From nothing to an answer"}
        sub="Five steps, in this order. Leave at any of them: what is done stays, and this page comes back to the rest."
      />
      <ol class="steps">
        {all.map(({ title, says, done, action }, at) => (
          <li class={done ? "done" : undefined}>
            <span class="number" aria-hidden="true">
              {done ? "✓" : at + 1}
            </span>
            <div>
              <h2>
                {title}
                <span class="hidden">{done ? ": done" : ": not done"}</span>
              </h2>
              <p>{says}</p>
            </div>
            <div>{action}</div>
          </li>
        ))}
      </ol>
      {mayAct ? null : (
        <p class="soft">An administrator does these steps; searching is for everybody.</p>
      )}
    </>
  );
};
