ALTER TABLE `tokens` ADD `refreshed_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tokens` ADD `last_refresh` text;