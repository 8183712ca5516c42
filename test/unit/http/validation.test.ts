import { expect, test } from "vitest";
import { z } from "zod";

import { unknownFields } from "../../../src/http/unknown-fields.ts";
import { parseOrRefuse, refusalOf } from "../../../src/http/validation.ts";

function mistakesIn(schema: z.ZodType, input: unknown): string {
  const parsed = schema.safeParse(input);
  return parsed.success ? "fits" : refusalOf(parsed.error).message.replace("Invalid request: ", "");
}

test("each kind of mistake is told in plain words, by the field's path", () => {
  const schema = z.object({
    text: z.string().max(3),
    count: z.int().min(1).max(9),
    share: z.number(),
    flag: z.boolean().optional(),
    kind: z.enum(["a", "b"]),
    list: z.array(z.object({ name: z.string().min(1) })),
    short: z.array(z.string()).max(1),
    link: z.url(),
  });
  const input = {
    text: "long",
    count: 0,
    flag: "yes",
    kind: "c",
    list: [{ name: "" }, {}, { name: 3 }],
    short: ["a", "b"],
    link: "no link",
  };
  expect(mistakesIn(schema, input).split("; ")).toEqual([
    "text must have at most 3 characters",
    "count must be at least 1",
    "share is required",
    "flag must be a boolean",
    "kind must be one of a, b",
    "list[0].name must have at least 1 character",
    "list[1].name is required",
    "list[2].name must be a string",
    "short must have at most 1 item",
    "link has the wrong form",
  ]);
});

test("null is not absence", () => {
  expect(mistakesIn(z.object({ a: z.string() }), { a: null })).toBe("a must be a string");
});

test("a schema's own words are told as they are", () => {
  const schema = z.object({ a: z.string().regex(/\S/, "must not be blank") });
  expect(mistakesIn(schema, { a: " " })).toBe("a must not be blank");
});

test("of a union the branch that comes closest tells what is wrong", () => {
  const schema = z.object({
    config: z.union([z.object({ x: z.string(), y: z.string() }), z.object({ z: z.literal(1) })]),
  });
  expect(mistakesIn(schema, { config: { z: 2 } })).toBe("config.z must be one of 1");
});

test("of a union the branch of the value's own type tells what is wrong", () => {
  const part = z.object({ type: z.literal("text"), text: z.string() });
  const schema = z.object({ content: z.union([z.string(), z.array(part).max(2)]) });
  const contentMistakes = (content: unknown) => mistakesIn(schema, { content });
  expect(contentMistakes([{ type: "image" }])).toBe(
    "content[0].type must be one of text; content[0].text is required",
  );
  const some = { type: "text", text: "" };
  expect(contentMistakes([some, some, some])).toBe("content must have at most 2 items");
  expect(contentMistakes(7)).toBe("content must be a string");
});

test("the whole is named where no field is", () => {
  expect(mistakesIn(z.object({}), [])).toBe("body must be an object");
});

test("parseOrRefuse throws the same words as an error for the caller", () => {
  const refuse = () => parseOrRefuse(z.object({ a: z.int() }), { a: 1.5 });
  expect(refuse).toThrow("Invalid request: a must be an integer");
});

test("unknown fields are those of the branch that a value fits", () => {
  const user = z.object({ role: z.literal("user"), name: z.string().optional() });
  const tool = z.object({ role: z.literal("tool"), id: z.string() });
  const result = { role: "tool", id: "1", name: "get_weather" };
  const unknown = unknownFields(z.discriminatedUnion("role", [user, tool]), result, 9);
  expect(unknown.map(({ field, closest }) => [field, closest()])).toEqual([["name", null]]);
});

test("of many issues the first are told, and how many more there are", () => {
  const wrong = Array.from({ length: 9_000 }, () => 1);
  const sentences = mistakesIn(z.object({ list: z.array(z.string()) }), { list: wrong }).split(
    "; ",
  );
  expect(sentences.slice(19)).toEqual(["list[19] must be a string", "and 8980 more"]);
});
