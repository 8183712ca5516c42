/** The part of the AI SDK that is used; imported when it is needed, this keeps the rest out. */
export { generateText, isStepCount, jsonSchema, tool } from "ai";
