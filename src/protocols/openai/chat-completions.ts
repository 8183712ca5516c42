import { chatAnswer, chatChunks } from "./chat-answer.ts";
import type { TurnApi } from "./answer-turn.ts";
import { ChatRequest, readChat } from "./chat-request.ts";
import type { ReadChat } from "./chat-request.ts";

/** https://platform.openai.com/docs/api-reference/chat */
export const chatCompletions: TurnApi<ReadChat> = {
  schema: ChatRequest,
  read: readChat,
  answer: chatAnswer,
  stream: chatChunks,
};
