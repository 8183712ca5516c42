ALTER TABLE `file_sources` ADD `left_out` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `scan_runs` ADD `left_out` text DEFAULT '[]' NOT NULL;