import type { XmlAttributes, XmlHandler } from "./xml-stream.ts";

export type XmlEvent =
  | { kind: "open"; name: string; attributes: XmlAttributes }
  | { kind: "close" }
  | { kind: "text"; data: string };

/** Keeps what a parser finds until it is asked for. */
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

  /** Those that came since the last time. */
  take(): XmlEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
