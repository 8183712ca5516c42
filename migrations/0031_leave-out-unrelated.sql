ALTER TABLE `rag_generations` ADD `unrelated_similarity` real;--> statement-breakpoint
ALTER TABLE `rags` ADD `leave_out_unrelated` integer DEFAULT false NOT NULL;