ALTER TABLE `rag_generations` ADD `copy_of` text;--> statement-breakpoint
ALTER TABLE `file_sources` ADD `copy_of` text;--> statement-breakpoint
CREATE INDEX `file_sources_copy` ON `file_sources` (`copy_of`) WHERE copy_of is not null;