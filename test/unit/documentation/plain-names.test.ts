import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";

/** Participles and pronouns that say how a value came to be, where a noun says what it is. */
const NO_NOUNS = new Set(
  "found known asked told kept said shown given wanted read made held left named taken meant done begun gone heard put sent seen offered chosen written listed counted refused allowed claimed placed stored passed spent owned tried ended joined opened closed noted followed waited hidden lost others other one again of is here there such anew".split(
    " ",
  ),
);
/** Comments that make sense only with the line above them, or begin with their object. */
const NO_SENTENCE = /^[\s*]*(?:The same|Of|What)\b/;
/** Text before a name that is declared, or before such a comment: other files need no parser. */
const SUSPECT = new RegExp(
  `(?:[([{,:*]|\\.{3}|\\b(?:const|let|function))\\s*(?:${[...NO_NOUNS].join("|")})\\b|(?://|\\*)[\\s*]*(?:The same|Of|What)\\b`,
);

/** Names and comments that are left in a folder; lower them with each that is replaced. */
const LEFT = [
  { folder: "src", namesLeft: 110, commentsLeft: 15 },
  { folder: "test", namesLeft: 16, commentsLeft: 0 },
];

type Binding = { type: string; [part: string]: unknown } | null | undefined;

/** The names that a parameter or the left side of a declaration binds. */
function namesIn(binding: Binding): string[] {
  if (binding == null) return [];
  const parts = (name: string) => (binding[name] as Binding[]).flatMap(namesIn);
  const part = (name: string) => namesIn(binding[name] as Binding);
  switch (binding.type) {
    case "Identifier":
      return [binding["name"] as string];
    case "ObjectPattern":
      return parts("properties");
    case "ArrayPattern":
      return parts("elements");
    case "Property":
      return part("value");
    case "AssignmentPattern":
      return part("left");
    default:
      return "argument" in binding ? part("argument") : [];
  }
}

/** Where names and comments of a file are no nouns and no sentences. */
function dialectIn(file: string): { names: string[]; comments: string[] } {
  const text = readFileSync(file, "utf8");
  if (!SUSPECT.test(text)) return { names: [], comments: [] };
  const { program, comments } = parseSync(file, text);
  const names: string[] = [];
  const declare = (binding: unknown) => names.push(...namesIn(binding as Binding));
  const declareParameters = ({ params }: { params: unknown[] }) => params.forEach(declare);
  new Visitor({
    VariableDeclarator: ({ id }) => declare(id),
    FunctionDeclaration: (node) => {
      declare(node.id);
      declareParameters(node);
    },
    FunctionExpression: declareParameters,
    ArrowFunctionExpression: declareParameters,
    TSFunctionType: declareParameters,
  }).visit(program);
  return {
    names: names.filter((name) => NO_NOUNS.has(name)).map((name) => `${file}: ${name}`),
    comments: comments
      .filter(({ value }) => NO_SENTENCE.test(value))
      .map(({ value }) => `${file}: ${value.trim()}`),
  };
}

test.each(LEFT)("in $folder variables are nouns, and comments are sentences", (bounds) => {
  const { folder, namesLeft, commentsLeft } = bounds;
  const files = globSync(`${folder}/**/*.{ts,tsx}`, {
    exclude: ["test/fixtures/**", "**/node_modules/**"],
  });
  expect(files.length).toBeGreaterThan(500);
  const dialect = files.map(dialectIn);
  const names = dialect.flatMap((part) => part.names);
  const comments = dialect.flatMap((part) => part.comments);
  expect(names.slice(namesLeft)).toEqual([]);
  expect(comments.slice(commentsLeft)).toEqual([]);
});
