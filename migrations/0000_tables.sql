CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text,
	`action` text NOT NULL,
	`target` text,
	`fields` text NOT NULL,
	`status` integer NOT NULL,
	`address` text NOT NULL,
	`request_id` text NOT NULL,
	`count` integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_events_at` ON `audit_events` (`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_actor` ON `audit_events` (`actor_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_action` ON `audit_events` (`action`,`at`,`id`);--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`created_by` text NOT NULL,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_hash` ON `keys` (`hash`);--> statement-breakpoint
CREATE INDEX `keys_created_by` ON `keys` (`created_by`);--> statement-breakpoint
CREATE INDEX `keys_name` ON `keys` (`name`,`id`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` text NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`user_id`, `hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`id` text NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_id` ON `sessions` (`id`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_last_seen` ON `sessions` (`last_seen_at`);--> statement-breakpoint
CREATE TABLE `sign_in_tries` (
	`account` text PRIMARY KEY NOT NULL,
	`tries` integer NOT NULL,
	`claimed_until` integer NOT NULL,
	`last_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_in_tries_last` ON `sign_in_tries` (`last_at`);--> statement-breakpoint
CREATE TABLE `token_agents` (
	`token_id` text NOT NULL,
	`agent_id` text NOT NULL,
	PRIMARY KEY(`token_id`, `agent_id`),
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `token_agents_agent` ON `token_agents` (`agent_id`);--> statement-breakpoint
CREATE TABLE `token_inferences` (
	`token_id` text NOT NULL,
	`inference_id` text NOT NULL,
	PRIMARY KEY(`token_id`, `inference_id`),
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`inference_id`) REFERENCES `inferences`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `token_inferences_inference` ON `token_inferences` (`inference_id`);--> statement-breakpoint
CREATE TABLE `token_rags` (
	`token_id` text NOT NULL,
	`rag_id` text NOT NULL,
	PRIMARY KEY(`token_id`, `rag_id`),
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `token_rags_rag` ON `token_rags` (`rag_id`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`all_agents` integer DEFAULT false NOT NULL,
	`all_inferences` integer DEFAULT false NOT NULL,
	`all_rags` integer DEFAULT false NOT NULL,
	`manage_scopes` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash` ON `tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `tokens_name` ON `tokens` (`name`,`id`);--> statement-breakpoint
CREATE TABLE `user_totp` (
	`user_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`confirmed_at` integer,
	`last_step` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `evaluation_results` (
	`run_id` text NOT NULL,
	`question_id` text NOT NULL,
	`question` text NOT NULL,
	`expected` text DEFAULT '[]' NOT NULL,
	`answer_check` text,
	`answer` text,
	`json_schema` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`finished_at` integer,
	`ranks` text DEFAULT '[]' NOT NULL,
	`found` text DEFAULT '[]' NOT NULL,
	`response` text,
	`is_right` integer,
	`why` text,
	`error` text,
	`is_degraded` integer DEFAULT false NOT NULL,
	`latency_ms` integer DEFAULT 0 NOT NULL,
	`input_tokens` integer DEFAULT 0 NOT NULL,
	`output_tokens` integer DEFAULT 0 NOT NULL,
	`cost` real,
	`currency` text,
	`judge` text,
	PRIMARY KEY(`run_id`, `question_id`),
	FOREIGN KEY (`run_id`) REFERENCES `evaluation_runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `evaluation_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`set_id` text NOT NULL,
	`setting` text NOT NULL,
	`facts` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`total` integer NOT NULL,
	`summary` text,
	`lease` text,
	`claimed_until` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`set_id`) REFERENCES `question_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `evaluation_runs_set` ON `evaluation_runs` (`set_id`,`id`);--> statement-breakpoint
CREATE INDEX `evaluation_runs_claimed` ON `evaluation_runs` (`claimed_until`) WHERE status = 'running';--> statement-breakpoint
CREATE TABLE `kept_queries` (
	`id` text PRIMARY KEY NOT NULL,
	`rag_id` text NOT NULL,
	`at` integer NOT NULL,
	`query` text NOT NULL,
	`same_as` text NOT NULL,
	`best_score` real,
	`file` text,
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `kept_queries_at` ON `kept_queries` (`at`);--> statement-breakpoint
CREATE INDEX `kept_queries_same` ON `kept_queries` (`rag_id`,`same_as`);--> statement-breakpoint
CREATE TABLE `question_sets` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`identifier` text NOT NULL,
	`rag_id` text,
	`inference_id` text,
	`judge_model` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`inference_id`) REFERENCES `inferences`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `question_sets_identifier` ON `question_sets` (`identifier`);--> statement-breakpoint
CREATE INDEX `question_sets_rag` ON `question_sets` (`rag_id`);--> statement-breakpoint
CREATE INDEX `question_sets_inference` ON `question_sets` (`inference_id`);--> statement-breakpoint
CREATE TABLE `questions` (
	`id` text PRIMARY KEY NOT NULL,
	`set_id` text NOT NULL,
	`state` text NOT NULL,
	`question` text NOT NULL,
	`expected` text DEFAULT '[]' NOT NULL,
	`answer_check` text,
	`answer` text,
	`json_schema` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`set_id`) REFERENCES `question_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `questions_once` ON `questions` (`set_id`,`question`);--> statement-breakpoint
CREATE TABLE `agent_rags` (
	`agent_id` text NOT NULL,
	`rag_id` text NOT NULL,
	PRIMARY KEY(`agent_id`, `rag_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_rags_rag` ON `agent_rags` (`rag_id`);--> statement-breakpoint
CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`identifier` text NOT NULL,
	`system_prompt` text NOT NULL,
	`model` text NOT NULL,
	`temperature` real,
	`max_output_tokens` integer,
	`created_at` integer NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`max_steps` integer DEFAULT 5 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_identifier` ON `agents` (`identifier`);--> statement-breakpoint
CREATE TABLE `inference_rags` (
	`inference_id` text NOT NULL,
	`rag_id` text NOT NULL,
	PRIMARY KEY(`inference_id`, `rag_id`),
	FOREIGN KEY (`inference_id`) REFERENCES `inferences`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `inference_rags_rag` ON `inference_rags` (`rag_id`);--> statement-breakpoint
CREATE TABLE `inferences` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`identifier` text NOT NULL,
	`system_prompt` text NOT NULL,
	`model` text NOT NULL,
	`temperature` real,
	`max_output_tokens` integer,
	`created_at` integer NOT NULL,
	`native_rag` integer DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `inferences_identifier` ON `inferences` (`identifier`);--> statement-breakpoint
CREATE TABLE `models` (
	`model` text NOT NULL,
	`kind` text NOT NULL,
	`input_price` real NOT NULL,
	`output_price` real NOT NULL,
	`currency` text NOT NULL,
	PRIMARY KEY(`model`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `usage_counted` (
	`slot` integer NOT NULL,
	`first` text NOT NULL,
	`last` text NOT NULL,
	`ids` text NOT NULL,
	PRIMARY KEY(`slot`, `first`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `usage_hours` (
	`hour` integer NOT NULL,
	`dimension` text NOT NULL,
	`key` text NOT NULL,
	`currency` text NOT NULL,
	`calls` integer NOT NULL,
	`errors` integer NOT NULL,
	`degraded` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost` real NOT NULL,
	`latencies` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`dimension`, `hour`, `key`, `currency`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `rag_files` (
	`rag_id` text NOT NULL,
	`generation` integer NOT NULL,
	`file_id` text NOT NULL,
	`path` text NOT NULL,
	`status` text NOT NULL,
	`revision` integer NOT NULL,
	`indexed_at` integer,
	`error_message` text,
	`error_is_outside` integer DEFAULT false NOT NULL,
	`chunk_count` integer DEFAULT 0 NOT NULL,
	`fingerprint` text,
	`notes` text DEFAULT '[]' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`claimed_until` integer DEFAULT 0 NOT NULL,
	`lease_id` text,
	`leased_until` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`file_id`, `rag_id`, `generation`),
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `rag_files_status` ON `rag_files` (`rag_id`,`generation`,`status`,`path`);--> statement-breakpoint
CREATE INDEX `rag_files_id` ON `rag_files` (`rag_id`,`generation`,`file_id`);--> statement-breakpoint
CREATE INDEX `rag_files_claimed` ON `rag_files` (`rag_id`,`generation`,`claimed_until`) WHERE claimed_until > 0;--> statement-breakpoint
CREATE INDEX `rag_files_leaving` ON `rag_files` (`leased_until`) WHERE status = 'deleted' and leased_until > 0;--> statement-breakpoint
CREATE TABLE `rag_generations` (
	`rag_id` text NOT NULL,
	`generation` integer NOT NULL,
	`state` text NOT NULL,
	`embedding_model` text NOT NULL,
	`dimensions` integer NOT NULL,
	`chunk_size` integer NOT NULL,
	`chunk_overlap` integer NOT NULL,
	`format` integer NOT NULL,
	`shards` integer DEFAULT 1 NOT NULL,
	`vectors_in` text DEFAULT 'vectorize' NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer DEFAULT 0 NOT NULL,
	`live_since` integer DEFAULT 0 NOT NULL,
	`vectors_from` integer,
	`filled_up_to` text,
	`pending_files` integer DEFAULT 0 NOT NULL,
	`processing_files` integer DEFAULT 0 NOT NULL,
	`indexed_files` integer DEFAULT 0 NOT NULL,
	`error_files` integer DEFAULT 0 NOT NULL,
	`deleted_files` integer DEFAULT 0 NOT NULL,
	`number_vectors` integer DEFAULT 0 NOT NULL,
	`counted_by_batch` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`rag_id`, `generation`),
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rag_generations_state` ON `rag_generations` (`state`);--> statement-breakpoint
CREATE TABLE `rag_scopes` (
	`rag_id` text NOT NULL,
	`type` text NOT NULL,
	`value` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`rag_id`, `type`, `value`),
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `rags` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`identifier` text NOT NULL,
	`file_source_id` text NOT NULL,
	`status` text DEFAULT 'active' NOT NULL,
	`scope_mode` text DEFAULT 'global' NOT NULL,
	`chunk_size` integer DEFAULT 400 NOT NULL,
	`chunk_overlap` integer DEFAULT 60 NOT NULL,
	`reranker` text,
	`search_mode` text DEFAULT 'hybrid' NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`refused_index` text,
	`coming_files` integer DEFAULT 0 NOT NULL,
	`scopes_due_at` integer,
	`scopes_revision` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`removed_at` integer,
	FOREIGN KEY (`file_source_id`) REFERENCES `file_sources`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rags_scopes_due` ON `rags` (`scopes_due_at`) WHERE scopes_due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `rags_identifier` ON `rags` (`identifier`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `rags_source` ON `rags` (`file_source_id`);--> statement-breakpoint
CREATE INDEX `rags_removed` ON `rags` (`removed_at`);--> statement-breakpoint
CREATE TABLE `vector_syncs` (
	`rag_id` text NOT NULL,
	`generation` integer NOT NULL,
	`shard` integer NOT NULL,
	`due_at` integer NOT NULL,
	`verify_at` integer DEFAULT 0 NOT NULL,
	`verification` text,
	`last_verification` text,
	PRIMARY KEY(`rag_id`, `generation`, `shard`)
);
--> statement-breakpoint
CREATE INDEX `vector_syncs_due` ON `vector_syncs` (`due_at`);--> statement-breakpoint
CREATE TABLE `file_sources` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`identifier` text NOT NULL,
	`provider` text NOT NULL,
	`config` text NOT NULL,
	`sealed_secrets` text,
	`webhook_secret_hash` text NOT NULL,
	`scan_interval_minutes` integer DEFAULT 360 NOT NULL,
	`status` text DEFAULT 'active' NOT NULL,
	`next_scan_at` integer,
	`scan_again` integer DEFAULT false NOT NULL,
	`scan_run_id` text,
	`scan_claimed_until` integer,
	`change_cursor` text,
	`listed_at` integer,
	`watch_due_at` integer,
	`watch_attempts` integer DEFAULT 0 NOT NULL,
	`watch_error` text,
	`watched_until` integer,
	`uploads_due_at` integer,
	`uploads_after` text DEFAULT '' NOT NULL,
	`pushed_files` integer DEFAULT 0 NOT NULL,
	`run_count` integer DEFAULT 0 NOT NULL,
	`pushes_refused` integer DEFAULT 0 NOT NULL,
	`pushes_refused_at` integer,
	`created_at` integer NOT NULL,
	`removed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `file_sources_identifier` ON `file_sources` (`identifier`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `file_sources_next_scan` ON `file_sources` (`next_scan_at`);--> statement-breakpoint
CREATE INDEX `file_sources_claimed` ON `file_sources` (`scan_claimed_until`);--> statement-breakpoint
CREATE INDEX `file_sources_watch_due` ON `file_sources` (`watch_due_at`);--> statement-breakpoint
CREATE INDEX `file_sources_uploads_due` ON `file_sources` (`uploads_due_at`) WHERE uploads_due_at is not null;--> statement-breakpoint
CREATE INDEX `file_sources_removed` ON `file_sources` (`removed_at`);--> statement-breakpoint
CREATE TABLE `files` (
	`id` text PRIMARY KEY NOT NULL,
	`file_source_id` text NOT NULL,
	`path` text NOT NULL,
	`external_id` text,
	`url` text,
	`name` text NOT NULL,
	`size` integer NOT NULL,
	`mime_type` text NOT NULL,
	`version` text NOT NULL,
	`sha256` text,
	`content_id` text DEFAULT (lower(hex(randomblob(8)))) NOT NULL,
	`metadata` text NOT NULL,
	`source_state` text,
	`created_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`file_source_id`) REFERENCES `file_sources`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `files_path` ON `files` (`file_source_id`,`path`);--> statement-breakpoint
CREATE INDEX `files_external` ON `files` (`file_source_id`,`external_id`) WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX `files_deleted` ON `files` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE TABLE `replaced_contents` (
	`id` integer PRIMARY KEY NOT NULL,
	`file_source_id` text NOT NULL,
	`file_id` text NOT NULL,
	`path` text NOT NULL,
	`version` text NOT NULL,
	`content_id` text,
	`due_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `replaced_contents_due` ON `replaced_contents` (`due_at`);--> statement-breakpoint
CREATE TABLE `scan_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`file_source_id` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`added` integer DEFAULT 0 NOT NULL,
	`changed` integer DEFAULT 0 NOT NULL,
	`removed` integer DEFAULT 0 NOT NULL,
	`unchanged` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`problems` text DEFAULT '[]' NOT NULL,
	`verified` integer DEFAULT false NOT NULL,
	`mended_added` integer DEFAULT 0 NOT NULL,
	`mended_changed` integer DEFAULT 0 NOT NULL,
	`mended_removed` integer DEFAULT 0 NOT NULL,
	`downloads_saved` integer DEFAULT 0 NOT NULL,
	`embeddings_saved` integer DEFAULT 0 NOT NULL,
	`error` text,
	`held_removals` integer DEFAULT 0 NOT NULL,
	`progress` text,
	FOREIGN KEY (`file_source_id`) REFERENCES `file_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `scan_runs_source` ON `scan_runs` (`file_source_id`,`started_at`);--> statement-breakpoint
CREATE TABLE `source_watches` (
	`id` text PRIMARY KEY NOT NULL,
	`file_source_id` text NOT NULL,
	`target` text NOT NULL,
	`resource_id` text,
	`token_hash` text NOT NULL,
	`base_url` text NOT NULL,
	`live` integer DEFAULT false NOT NULL,
	`started_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ends_at` integer,
	FOREIGN KEY (`file_source_id`) REFERENCES `file_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `source_watches_source` ON `source_watches` (`file_source_id`);
--> statement-breakpoint
-- By hand from here on: what drizzle-kit does not know.
-- Keeps the counters of a generation exact whoever writes rag_files, and O(1) to read.
CREATE TRIGGER `rag_files_counted_on_insert` AFTER INSERT ON `rag_files`
BEGIN
	UPDATE `rag_generations` SET
		`pending_files` = `pending_files` + (new.`status` = 'pending'),
		`processing_files` = `processing_files` + (new.`status` = 'processing'),
		`indexed_files` = `indexed_files` + (new.`status` = 'indexed'),
		`error_files` = `error_files` + (new.`status` = 'error'),
		`deleted_files` = `deleted_files` + (new.`status` = 'deleted'),
		`number_vectors` = `number_vectors` + new.`chunk_count`
	WHERE `rag_id` = new.`rag_id` AND `generation` = new.`generation` AND NOT `counted_by_batch`;
END;
--> statement-breakpoint
CREATE TRIGGER `rag_files_counted_on_update` AFTER UPDATE OF `status`, `chunk_count` ON `rag_files`
WHEN old.`status` <> new.`status` OR old.`chunk_count` <> new.`chunk_count`
BEGIN
	UPDATE `rag_generations` SET
		`pending_files` = `pending_files` + (new.`status` = 'pending') - (old.`status` = 'pending'),
		`processing_files` = `processing_files` + (new.`status` = 'processing') - (old.`status` = 'processing'),
		`indexed_files` = `indexed_files` + (new.`status` = 'indexed') - (old.`status` = 'indexed'),
		`error_files` = `error_files` + (new.`status` = 'error') - (old.`status` = 'error'),
		`deleted_files` = `deleted_files` + (new.`status` = 'deleted') - (old.`status` = 'deleted'),
		`number_vectors` = `number_vectors` + new.`chunk_count` - old.`chunk_count`
	WHERE `rag_id` = new.`rag_id` AND `generation` = new.`generation` AND NOT `counted_by_batch`;
END;
--> statement-breakpoint
CREATE TRIGGER `rag_files_counted_on_delete` AFTER DELETE ON `rag_files`
BEGIN
	UPDATE `rag_generations` SET
		`pending_files` = `pending_files` - (old.`status` = 'pending'),
		`processing_files` = `processing_files` - (old.`status` = 'processing'),
		`indexed_files` = `indexed_files` - (old.`status` = 'indexed'),
		`error_files` = `error_files` - (old.`status` = 'error'),
		`deleted_files` = `deleted_files` - (old.`status` = 'deleted'),
		`number_vectors` = `number_vectors` - old.`chunk_count`
	WHERE `rag_id` = old.`rag_id` AND `generation` = old.`generation` AND NOT `counted_by_batch`;
END;
--> statement-breakpoint
-- What a replaced or deleted file had stored in the bucket is noted whoever changes the file.
CREATE TRIGGER `files_content_replaced` AFTER UPDATE OF `version`, `content_id`, `deleted_at` ON `files`
WHEN old.`deleted_at` IS NULL AND (
	new.`deleted_at` IS NOT NULL
	OR new.`version` <> old.`version`
	OR new.`content_id` <> old.`content_id`
)
BEGIN
	INSERT INTO `replaced_contents` (`file_source_id`, `file_id`, `path`, `version`, `content_id`)
	VALUES (
		old.`file_source_id`,
		old.`id`,
		old.`path`,
		old.`version`,
		(CASE WHEN new.`deleted_at` IS NOT NULL OR new.`content_id` <> old.`content_id` THEN old.`content_id` END)
	);
END;
--> statement-breakpoint
CREATE TRIGGER `scan_runs_counted_on_insert` AFTER INSERT ON `scan_runs`
BEGIN
	UPDATE `file_sources` SET `run_count` = `run_count` + 1 WHERE `id` = new.`file_source_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `scan_runs_counted_on_delete` AFTER DELETE ON `scan_runs`
BEGIN
	UPDATE `file_sources` SET `run_count` = `run_count` - 1 WHERE `id` = old.`file_source_id`;
END;
