ALTER TABLE `generation_files` ADD `notes` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `rag_files` ADD `notes` text DEFAULT '[]' NOT NULL;