import type { XmlAttributes, XmlHandler } from "./xml-stream.ts";

export type XmlEvent =
  | { kind: "open"; name: string; attributes: XmlAttributes }
  | { kind: "close" }
  | { kind: "text"; data: string };

/** Buffers a parser's events until they are taken. */
export class XmlEvents implements XmlHandler {
  #events: XmlEvent[] = [];

  open(name: string, attributes: XmlAttributes): void {
    this.#events.push({ kind: "open", name, attributes });
  }

  close(): void {
    this.#events.push({ kind: "close" });
  }

  text(data: string): void {
    this.#events.push({ kind: "text", data });
  }

  /** The events since the last call. */
  take(): XmlEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
