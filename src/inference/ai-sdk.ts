/** The parts of the AI SDK in use; this module is imported on demand and keeps the rest out. */
export { generateText, isStepCount, jsonSchema, tool } from "ai";
