CREATE TABLE `provider_keys` (
	`name` text PRIMARY KEY NOT NULL,
	`sealed_key` text NOT NULL,
	`set_at` integer NOT NULL
);
