import { integer } from "drizzle-orm/sqlite-core";

/** When somebody last changed its settings, ms; 0: never. Grows with every change. */
export const updatedAt = () => integer().notNull().default(0);
