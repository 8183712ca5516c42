DELETE FROM `questions` WHERE `state` = 'draft';--> statement-breakpoint
ALTER TABLE `questions` DROP COLUMN `state`;