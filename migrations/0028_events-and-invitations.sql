CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`withdrawn_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash_unique` ON `invitations` (`hash`);--> statement-breakpoint
CREATE TABLE `event_deliveries` (
	`place` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`endpoint_id` text NOT NULL,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	`answer` text,
	FOREIGN KEY (`endpoint_id`) REFERENCES `event_endpoints`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_deliveries_id_unique` ON `event_deliveries` (`id`);--> statement-breakpoint
CREATE TABLE `event_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`rag_identifiers` text NOT NULL,
	`enabled` integer NOT NULL,
	`sealed_secret` text NOT NULL,
	`sealed_previous_secret` text,
	`previous_until` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`taken_up_to` integer DEFAULT 0 NOT NULL,
	`taken_at` integer DEFAULT 0 NOT NULL,
	`updated_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
-- The outbox of events. Ids grow and are not reused: an endpoint remembers the last one that it took.
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`file_source_id` text,
	`rag_id` text,
	`path` text,
	`error` text,
	`data` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_deliveries_endpoint` ON `event_deliveries` (`endpoint_id`, `place`);
--> statement-breakpoint
CREATE INDEX `event_deliveries_first` ON `event_deliveries` (`endpoint_id`, `place`) WHERE status = 'waiting' and tries = 0;
--> statement-breakpoint
CREATE INDEX `event_deliveries_again` ON `event_deliveries` (`endpoint_id`, `next_at`) WHERE status = 'waiting' and tries > 0;
--> statement-breakpoint
CREATE INDEX `invitations_email` ON `invitations` (`email`);
--> statement-breakpoint
-- An endpoint is sent what happens from the moment that it is enabled.
CREATE TRIGGER `event_endpoints_enabled_on_insert` AFTER INSERT ON `event_endpoints`
BEGIN
	UPDATE `event_endpoints` SET `taken_up_to` = coalesce((SELECT max(`id`) FROM `events`), 0) WHERE `id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `event_endpoints_enabled_on_update` AFTER UPDATE OF `enabled` ON `event_endpoints`
WHEN new.`enabled` AND NOT old.`enabled`
BEGIN
	UPDATE `event_endpoints` SET `failing_since` = NULL,
		`taken_up_to` = coalesce((SELECT max(`id`) FROM `events`), 0) WHERE `id` = new.`id`;
END;
--> statement-breakpoint
-- Of what waits for a disabled endpoint, its last 200 deliveries stay.
CREATE TRIGGER `event_endpoints_disabled` AFTER UPDATE OF `enabled` ON `event_endpoints`
WHEN old.`enabled` AND NOT new.`enabled`
BEGIN
	DELETE FROM `event_deliveries` WHERE `endpoint_id` = new.`id` AND `place` <= (
		SELECT `place` FROM `event_deliveries` WHERE `endpoint_id` = new.`id` ORDER BY `place` DESC LIMIT 1 OFFSET 200);
END;
--> statement-breakpoint
-- However a person joins, the invitation is used; a later one replaces it.
CREATE TRIGGER `invitations_used` AFTER INSERT ON `users`
BEGIN
	UPDATE `invitations` SET `used_at` = new.`created_at`
	WHERE `email` = new.`email` AND `used_at` IS NULL AND `withdrawn_at` IS NULL AND `expires_at` > new.`created_at`;
END;
--> statement-breakpoint
CREATE TRIGGER `invitations_replaced` AFTER INSERT ON `invitations`
BEGIN
	UPDATE `invitations` SET `withdrawn_at` = new.`created_at`
	WHERE `email` = new.`email` AND `id` <> new.`id` AND `used_at` IS NULL AND `withdrawn_at` IS NULL AND `expires_at` > new.`created_at`;
END;
--> statement-breakpoint
-- Events are written whoever changes the row, in the transaction of the change, and only while an
-- endpoint is enabled. Of files, only those of the generation that answers are told.
CREATE TRIGGER `events_of_indexed_files` AFTER UPDATE OF `status` ON `rag_files`
WHEN new.`status` <> old.`status` AND new.`status` IN ('indexed', 'error', 'leaving') AND EXISTS (SELECT 1 FROM `event_endpoints` WHERE `enabled`)
BEGIN
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `rag_id`, `path`, `error`)
	SELECT
		(CASE new.`status` WHEN 'indexed' THEN 'file.indexed' WHEN 'error' THEN 'file.failed' ELSE 'file.removed' END),
		CAST(unixepoch('subsec') * 1000 AS integer), `file_source_id`, `id`, new.`path`,
		(CASE new.`status` WHEN 'error' THEN new.`error_message` END)
	FROM `rags` WHERE `id` = new.`rag_id` AND `generation` = new.`generation` AND `removed_at` IS NULL;
END;
--> statement-breakpoint
-- A moved file is removed from its old path, but not from the one with its id, which it has in
-- between. Once for each RAG that has it; without a RAG, once.
CREATE TRIGGER `events_of_removed_files` AFTER UPDATE OF `deleted_at`, `path` ON `files`
WHEN old.`deleted_at` IS NULL AND (new.`deleted_at` IS NOT NULL OR new.`path` <> old.`path`)
	AND substr(old.`path`, -length(old.`id`) - 3) <> ' (' || old.`id` || ')' AND EXISTS (SELECT 1 FROM `event_endpoints` WHERE `enabled`)
BEGIN
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `rag_id`, `path`)
	SELECT 'file.removed', CAST(unixepoch('subsec') * 1000 AS integer), old.`file_source_id`, o.`rag_id`, old.`path`
	FROM (SELECT 1) LEFT JOIN (
		SELECT x.`rag_id` FROM `rag_files` x JOIN `rags` r ON r.`id` = x.`rag_id` AND r.`generation` = x.`generation`
		WHERE x.`file_id` = old.`id` AND x.`status` NOT IN ('deleted', 'leaving') AND r.`removed_at` IS NULL
	) o;
END;
--> statement-breakpoint
CREATE TRIGGER `events_of_scans` AFTER UPDATE OF `finished_at` ON `scan_runs`
WHEN old.`finished_at` IS NULL AND new.`finished_at` IS NOT NULL AND EXISTS (SELECT 1 FROM `event_endpoints` WHERE `enabled`)
BEGIN
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `data`)
	VALUES (
		(CASE WHEN new.`error` IS NOT NULL AND new.`held_removals` = 0 THEN 'scan.failed' ELSE 'scan.finished' END),
		CAST(unixepoch('subsec') * 1000 AS integer), new.`file_source_id`,
		json_object('counts', json_object('added', new.`added`, 'changed', new.`changed`,
			'removed', new.`removed`, 'failed', new.`failed`), 'reason', new.`error`)
	);
	-- Once while the number stays the same.
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `data`)
	SELECT 'source.removals_held', CAST(unixepoch('subsec') * 1000 AS integer), new.`file_source_id`,
		json_object('counts', json_object('held', new.`held_removals`), 'reason', new.`error`)
	WHERE new.`held_removals` > 0 AND new.`held_removals` IS NOT (
		SELECT `held_removals` FROM `scan_runs` WHERE `file_source_id` = new.`file_source_id`
			AND `started_at` < new.`started_at` ORDER BY `started_at` DESC LIMIT 1);
END;
--> statement-breakpoint
-- When the watches begin to fail, not at each further try.
CREATE TRIGGER `events_of_watches` AFTER UPDATE OF `watch_attempts` ON `file_sources`
WHEN old.`watch_attempts` = 0 AND new.`watch_attempts` > 0 AND EXISTS (SELECT 1 FROM `event_endpoints` WHERE `enabled`)
BEGIN
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `data`)
	VALUES ('source.watch_failed', CAST(unixepoch('subsec') * 1000 AS integer), new.`id`, json_object('reason', new.`watch_error`));
END;
--> statement-breakpoint
CREATE TRIGGER `events_of_paused_rags` AFTER UPDATE OF `status` ON `rags`
WHEN old.`status` <> 'paused' AND new.`status` = 'paused' AND EXISTS (SELECT 1 FROM `event_endpoints` WHERE `enabled`)
BEGIN
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `rag_id`)
	VALUES ('rag.paused', CAST(unixepoch('subsec') * 1000 AS integer), new.`file_source_id`, new.`id`);
END;
--> statement-breakpoint
-- Files that only the new generation has indexed become known with it.
CREATE TRIGGER `events_of_rebuilt_rags` AFTER UPDATE OF `state` ON `rag_generations`
WHEN old.`state` = 'building' AND new.`state` = 'live' AND EXISTS (SELECT 1 FROM `event_endpoints` WHERE `enabled`)
BEGIN
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `rag_id`, `path`, `error`)
	SELECT (CASE b.`status` WHEN 'indexed' THEN 'file.indexed' ELSE 'file.failed' END),
		CAST(unixepoch('subsec') * 1000 AS integer), r.`file_source_id`, r.`id`, b.`path`, (CASE b.`status` WHEN 'error' THEN b.`error_message` END)
	FROM `rags` r
	CROSS JOIN `rag_files` l ON l.`rag_id` = r.`id` AND l.`generation` = r.`generation`
		AND l.`status` IN ('pending', 'processing')
	CROSS JOIN `rag_files` b ON b.`file_id` = l.`file_id` AND b.`rag_id` = r.`id`
		AND b.`generation` = new.`generation` AND b.`status` IN ('indexed', 'error')
	WHERE r.`id` = new.`rag_id` AND r.`generation` <> new.`generation`;
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `rag_id`, `data`)
	SELECT 'rag.rebuilt', CAST(unixepoch('subsec') * 1000 AS integer), `file_source_id`, `id`,
		json_object('counts', json_object('indexed', new.`indexed_files`, 'failed', new.`error_files`))
	FROM `rags` WHERE `id` = new.`rag_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `events_of_evaluations` AFTER UPDATE OF `status` ON `evaluation_runs`
WHEN old.`status` = 'running' AND new.`status` <> 'running' AND EXISTS (SELECT 1 FROM `event_endpoints` WHERE `enabled`)
BEGIN
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `rag_id`, `data`)
	SELECT 'evaluation.finished', CAST(unixepoch('subsec') * 1000 AS integer), r.`file_source_id`, r.`id`, json_object(
		'inference', (CASE WHEN i.`id` IS NOT NULL
			THEN json_object('id', i.`id`, 'identifier', i.`identifier`, 'name', i.`name`) END),
		'questionSet', json_object('id', q.`id`, 'identifier', q.`identifier`, 'name', q.`name`),
		'run', json_object('id', new.`id`), 'counts', json_object('questions', new.`total`), 'reason', new.`error`)
	FROM `question_sets` q LEFT JOIN `rags` r ON r.`id` = q.`rag_id` LEFT JOIN `inferences` i ON i.`id` = q.`inference_id`
	WHERE q.`id` = new.`set_id`;
END;
--> statement-breakpoint
-- When an endpoint takes events, they become its deliveries, in one transaction: it is sent what is of
-- its types and RAGs. An event of a source belongs to the RAGs that index it. Those of files are
-- gathered by source and type; a file of several RAGs is listed once, and then no RAG is named.
CREATE TRIGGER `event_endpoints_taken` AFTER UPDATE OF `taken_at` ON `event_endpoints`
BEGIN
	INSERT INTO `event_deliveries` (`id`, `endpoint_id`, `type`, `body`, `status`, `created_at`, `next_at`)
	SELECT 'evt_' || lower(hex(randomblob(16))), new.`id`, x.`type`,
		json_object('type', x.`type`, 'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', x.`at` / 1000.0, 'unixepoch'),
			'data', json_patch(x.`data`, json_object(
				'source', json(iif(s.`id` IS NULL, NULL, json_object('id', s.`id`, 'identifier', s.`identifier`, 'name', s.`name`))),
				'rag', json(iif(r.`id` IS NULL, NULL, json_object('id', r.`id`, 'identifier', r.`identifier`, 'name', r.`name`))),
				'files', json(x.`files`), 'more', iif(x.`files` IS NULL, NULL, max(0, x.`total` - 100))))),
		'waiting', new.`taken_at`, new.`taken_at`
	FROM (
		SELECT min(`id`) AS `id`, `type`, max(`at`) AS `at`, `file_source_id`, `data`, count(*) AS `total`,
			(CASE WHEN min(`rag_id`) = max(`last_rag_id`) AND count(`rag_id`) = count(*) THEN min(`rag_id`) END) AS `rag_id`,
			(CASE WHEN `path` IS NOT NULL THEN json_group_array(json(`file`)) FILTER (WHERE `place` <= 100) END) AS `files`
		FROM (
			SELECT *, row_number() OVER (PARTITION BY `type`, `file_source_id`, `path` IS NULL ORDER BY `id`) AS `place`,
				iif(`error` IS NULL, json_object('path', `path`), json_object('path', `path`, 'error', `error`)) AS `file`
			FROM (
				SELECT min(`id`) AS `id`, `type`, max(`at`) AS `at`, `file_source_id`, `path`, max(`error`) AS `error`, `data`,
					min(`rag_id`) AS `rag_id`, max(`rag_id`) AS `last_rag_id`
				FROM (SELECT * FROM `events` WHERE `id` > new.`taken_up_to` ORDER BY `id` LIMIT 5000) o
				WHERE EXISTS (SELECT 1 FROM json_each(new.`events`) WHERE `value` IN ('*', o.`type`)) AND (
					new.`rag_identifiers` = '[]'
					OR `rag_id` IN (SELECT `id` FROM `rags` WHERE `removed_at` IS NULL
						AND `identifier` IN (SELECT `value` FROM json_each(new.`rag_identifiers`)))
					OR (`rag_id` IS NULL AND `path` IS NULL AND `file_source_id` IN (SELECT `file_source_id` FROM `rags`
						WHERE `removed_at` IS NULL AND `identifier` IN (SELECT `value` FROM json_each(new.`rag_identifiers`)))))
				GROUP BY `type`, `file_source_id`, coalesce(`path`, `id`)
			)
		)
		GROUP BY `type`, `file_source_id`, (CASE WHEN `path` IS NULL THEN `id` END)
	) x
	LEFT JOIN `file_sources` s ON s.`id` = x.`file_source_id` LEFT JOIN `rags` r ON r.`id` = x.`rag_id`
	ORDER BY x.`id`;
	UPDATE `event_endpoints` SET `taken_up_to` = coalesce((SELECT max(`id`) FROM (
		SELECT `id` FROM `events` WHERE `id` > new.`taken_up_to` ORDER BY `id` LIMIT 5000)), `taken_up_to`)
	WHERE `id` = new.`id`;
END;
--> statement-breakpoint
-- What follows from a try: an answer 2xx delivers; other tries follow over three days. Of deliveries
-- that wait, three days of failures or the answer 410 disable the endpoint; tries by hand of others do
-- not. The last 200 are kept.
CREATE TRIGGER `event_deliveries_tried` AFTER UPDATE OF `tries` ON `event_deliveries`
BEGIN
	UPDATE `event_deliveries` SET
		`status` = (CASE WHEN new.`answer` GLOB '2[0-9][0-9]' THEN 'delivered'
			WHEN new.`status` = 'waiting' AND new.`tries` >= 10 THEN 'failed' ELSE new.`status` END),
		`next_at` = new.`next_at` + 1000 * (CASE new.`tries` WHEN 1 THEN 5 WHEN 2 THEN 300 WHEN 3 THEN 1800 WHEN 4 THEN 7200
			WHEN 5 THEN 18000 WHEN 6 THEN 36000 WHEN 7 THEN 50400 WHEN 8 THEN 72000 ELSE 86400 END)
	WHERE `place` = new.`place`;
	UPDATE `event_endpoints` SET `failing_since` = NULL
	WHERE `id` = new.`endpoint_id` AND `enabled` AND new.`answer` GLOB '2[0-9][0-9]';
	UPDATE `event_endpoints` SET `failing_since` = coalesce(`failing_since`, new.`next_at`),
		`enabled` = new.`answer` <> '410' AND new.`next_at` - coalesce(`failing_since`, new.`next_at`) < 259200000
	WHERE `id` = new.`endpoint_id` AND `enabled` AND new.`status` = 'waiting' AND new.`answer` NOT GLOB '2[0-9][0-9]';
	DELETE FROM `event_deliveries` WHERE `endpoint_id` = new.`endpoint_id` AND `status` <> 'waiting' AND `place` <= (
		SELECT `place` FROM `event_deliveries` WHERE `endpoint_id` = new.`endpoint_id` ORDER BY `place` DESC LIMIT 1 OFFSET 200);
END;
