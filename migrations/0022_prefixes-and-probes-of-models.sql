ALTER TABLE `rag_generations` ADD `passage_prefix` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `rag_generations` ADD `probe` text;--> statement-breakpoint
ALTER TABLE `rag_generations` ADD `probed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `rag_generations` ADD `model_changed_at` integer DEFAULT 0 NOT NULL;