import type { ModelKind } from "../core/models/model-kind.ts";

/** Amounts are whole: billionths of a dollar, tokens, calls. What is not held must only fit. */
export type Charge = {
  limitId: string;
  amount: number;
  period: "day" | "month";
  cost: number;
  isHeld: boolean;
};
/** `isFull`: waiting for calls under way does not help. Times in ms. */
export type Refusal = { resetsAt: number; isFull: boolean };
/** `refusedCost`: the greatest of a call that was too large while most of the limit was left. */
export type LimitUse = { used: number; reserved: number; resetsAt: number; refusedCost: number };

export type SpendingLedger = {
  /** Reserves all charges or none; null: they are reserved. */
  reserve(id: string, charges: Charge[]): Promise<Refusal | null>;
  /** Charges costs by limit in place of what is reserved; null: as much as is reserved. */
  settle(id: string, costs: Record<string, number | null>): Promise<void>;
  state(limits: Pick<Charge, "limitId" | "period">[]): Promise<LimitUse[]>;
};

export type SpendingSubject = { kind: "token" | "inference" | "agent" | "person"; id: string };
export type ModelTokens = { input: number; output: number };
/** `maxTokens`: the greatest number; counted only where a limit applies. */
export type ModelCall = { kind: ModelKind; model: string; maxTokens: () => ModelTokens };
/** `settle` counts once; with null, what is reserved is charged. */
export type Reservation = { isLimited: boolean; settle: (tokens: ModelTokens | null) => void };

/** The limits of an event, or of a part of it. `begins`: counts a call; its first model call must fit. */
export type Spending = {
  bill(subjects: SpendingSubject[]): void;
  withSubject(subject: SpendingSubject): Spending;
  /** @throws SpendingReached, QuarryError `limits-unavailable` */
  reserve(call: ModelCall, begins?: boolean): Promise<Reservation>;
};
