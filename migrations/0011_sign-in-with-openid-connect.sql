CREATE TABLE `openid_provider` (
	`id` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`updated_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sign_in_secrets` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sign_in_secrets_expiry` ON `sign_in_secrets` (`expires_at`);--> statement-breakpoint
CREATE INDEX `sign_in_secrets_user` ON `sign_in_secrets` (`user_id`);--> statement-breakpoint
CREATE TABLE `user_identities` (
	`user_id` text PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`groups` text NOT NULL,
	`created_at` integer NOT NULL,
	`checked_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_identities_subject` ON `user_identities` (`issuer`,`subject`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `vouched_until` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `sealed_refresh_token` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `checking_until` integer DEFAULT 0 NOT NULL;