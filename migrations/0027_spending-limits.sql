CREATE TABLE `spending_limits` (
	`id` text PRIMARY KEY NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`amount` real NOT NULL,
	`unit` text NOT NULL,
	`period` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `spending_limits_subject` ON `spending_limits` (`subject_kind`,`subject_id`,`unit`,`period`);
--> statement-breakpoint
CREATE TRIGGER `spending_limits_of_token` AFTER DELETE ON `tokens`
BEGIN
  DELETE FROM `spending_limits` WHERE `subject_kind` = 'token' AND `subject_id` = old.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `spending_limits_of_inference` AFTER DELETE ON `inferences`
BEGIN
  DELETE FROM `spending_limits` WHERE `subject_kind` = 'inference' AND `subject_id` = old.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `spending_limits_of_agent` AFTER DELETE ON `agents`
BEGIN
  DELETE FROM `spending_limits` WHERE `subject_kind` = 'agent' AND `subject_id` = old.`id`;
END;
