ALTER TABLE `tokens` ADD `granted_by` text REFERENCES users(id) ON DELETE CASCADE;--> statement-breakpoint
ALTER TABLE `tokens` ADD `client_id` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `client_host` text;--> statement-breakpoint
CREATE INDEX `tokens_granted_by` ON `tokens` (`granted_by`,`id`) WHERE granted_by is not null;--> statement-breakpoint
ALTER TABLE `agents` ADD `open_to_members` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `inferences` ADD `open_to_members` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `rags` ADD `open_to_members` integer DEFAULT false NOT NULL;