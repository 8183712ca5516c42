import type { FileId } from "../core/ids.ts";
import type { IndexMessage, ScanMessage, UsageMessage } from "../core/queue-messages.ts";

/** A message and the size (bytes) of its file; null: unknown, until it was read. */
export type SizedMessage = IndexMessage & { size: number | null };

/** The text of a version of a pushed file: its bytes are this text in UTF-8, and nothing else. */
export type PushedText = { version: string; text: string };

/** Texts by version, which is unique for each write of a file. */
export type PushedTexts = ReadonlyMap<string, string>;

/** Several files in one message of the index queue, and texts of theirs by version. */
export type IndexMessages = { files: IndexMessage[]; texts?: Record<string, string> | undefined };

export type UsageMessages = { calls: UsageMessage[] };

/** The backlog of a queue; null where it is unknown. */
export type QueueBacklog = {
  queue: string;
  waiting: number | null;
  /** When the oldest message was sent, ms. */
  oldestAt: number | null;
};

/** Queues. At-least-once and unordered: every receiver checks the current state in D1 first. */
export interface JobQueue {
  scan(messages: ScanMessage | ScanMessage[], delaySeconds?: number): Promise<void>;
  /**
   * Any number; sent in batches within the platform's limits. `together`: the files are small, and
   * several of them share a message. `texts`: of files that are to be indexed from the message.
   */
  index(
    messages: IndexMessage[],
    options?: {
      delaySeconds?: number;
      together?: boolean;
      texts?: ReadonlyMap<FileId, PushedText>;
    },
  ): Promise<void>;
  /** May share a message with other calls of the same second. */
  usage(message: UsageMessage): Promise<void>;
}
