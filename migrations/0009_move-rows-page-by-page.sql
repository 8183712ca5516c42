ALTER TABLE `rag_generations` ADD `moved_after` text;--> statement-breakpoint
CREATE INDEX `rag_generations_moving` ON `rag_generations` (`rag_id`) WHERE moved_after is not null;