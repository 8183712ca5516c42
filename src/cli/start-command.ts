import { Command, InvalidArgumentError, Option } from "commander";

import { runDemo, type DemoOptions } from "./demo/run-demo.ts";
import { DEFAULT_STATE, IS_PACKED } from "./installation.ts";
import { afterHelp } from "./run-command.ts";
import { LOOPBACK } from "./worker/claim-state.ts";

const MAX_PORT = 65_535;

function port(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= MAX_PORT) return number;
  throw new InvalidArgumentError(`must be a port, 1 to ${MAX_PORT}`);
}

const ABOUT_NPM = IS_PACKED
  ? []
  : ["\nnpm adds two lines to standard output; use npm start --silent -- --once --json."];

/** `npm start` of a checkout, `quarry start` of the installed package. */
export function startCommand(name: string): Command {
  return new Command(name)
    .summary("serve on this machine, index a folder and answer a question")
    .description(
      "Start the service on this machine, index a folder and answer a question from it.\n" +
        "The default folder is the bundled sample, the handbook of an invented company.",
    )
    .argument("[folder]", "folder of documents")
    .option("--query <text>", "text to search for (default: the folder's first heading)")
    .option("--prompt <text>", "question to answer (default: the same)")
    .option("--port <n>", "port to listen on", port, 8787)
    .addOption(
      new Option("--host <address>", "address to listen on; 0.0.0.0 and :: are all of them")
        .choices([LOOPBACK, "0.0.0.0", "::"])
        .default(LOOPBACK),
    )
    .option("--state <dir>", "folder for local state", DEFAULT_STATE)
    .option("--embedded", "use the built-in models, even where a model server runs")
    .option(
      "--confirm-removals",
      "allow a removal of more than half of the documents (and more than 20)",
    )
    .option("--no-ignore", "index what .gitignore and .ignore files name, too")
    .option("--no-watch", "index the folder now, and not again when a file changes")
    .option("--once", "exit after the answers, with code 1 if a file failed")
    .option("--json", "print one JSON object to standard output, everything else to standard error")
    .addHelpText(
      "after",
      afterHelp(
        "Models come from a server at the usual local port of Ollama, LM Studio, llama.cpp or vLLM, " +
          "otherwise from Quarry itself. Environment (all optional):",
        {
          OPENAI_COMPATIBLE_BASE_URL: "another OpenAI-compatible server, ending in /v1",
          OPENAI_COMPATIBLE_API_KEY: "its key, if it needs one",
          CHAT_MODEL: "model that answers, such as local/llama3.2",
          EMBEDDING_MODEL: "model that embeds, such as local/nomic-embed-text",
          EMBEDDING_DIMENSIONS: "dimensions of its vectors, such as 768",
        },
        "\nThe service also reads its other variables from the environment, such as KEEP_QUERIES_DAYS.",
        ...ABOUT_NPM,
      ),
    )
    .action((folder: string | undefined, options: Omit<DemoOptions, "folder">) =>
      runDemo({ ...options, folder }),
    );
}
