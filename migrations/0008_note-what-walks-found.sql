ALTER TABLE `vector_upkeep` ADD `walk` text;--> statement-breakpoint
ALTER TABLE `vector_upkeep` ADD `walked` text;