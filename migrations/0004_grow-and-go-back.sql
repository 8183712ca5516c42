ALTER TABLE `rag_generations` ADD `live_since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `rag_generations` ADD `vectors_from` integer;--> statement-breakpoint
ALTER TABLE `rags` ADD `refused_index` text;--> statement-breakpoint
-- What answers now has answered; what was retired before stays what it was: about to be dropped.
UPDATE `rag_generations` SET `live_since` = max(`created_at`, `changed_at`, 1) WHERE `state` = 'live';
