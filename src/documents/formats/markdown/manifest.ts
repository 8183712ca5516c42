import { documentFormat } from "../../document-format.ts";

export const markdown = documentFormat({
  kind: "markdown",
  files: { "text/markdown": "md markdown mdown mkd mdx qmd rmd", "text/x-markdown": "" },
  read: async () => ({ readText: (await import("./extract-markdown.ts")).extractMarkdown }),
});
