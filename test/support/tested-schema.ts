/** The statements that make the tables: files that share a Worker read the migrations once. */
export const statements: string[] = [];
