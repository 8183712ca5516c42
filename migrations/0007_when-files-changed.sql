ALTER TABLE `rags` ADD `recency_half_life_days` integer;--> statement-breakpoint
ALTER TABLE `files` ADD `modified_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `files` SET `modified_at` = `created_at`;
