-- Files without readers of their own named the default readers of their source, as they were then.
-- What stands for these takes their place: a change of default readers counts for all files at once.
INSERT OR IGNORE INTO `audiences` (`id`, `readers`, `unreadable`) VALUES
  ('f31d9de2dcd15e421202632ff3f375e6e2c2d54bfbb978df13847b177e4df56f', '[{"principal":"default","from":"default"}]', NULL),
  ('35ae62c20ace1d82fbe9c845c2a20eb44591578693a0f4f95fea39845cfc4b16', '[{"principal":"public","from":"default"}]', NULL);
--> statement-breakpoint
INSERT OR IGNORE INTO `audience_principals` (`principal`, `audience`) VALUES
  ('default', 'f31d9de2dcd15e421202632ff3f375e6e2c2d54bfbb978df13847b177e4df56f'),
  ('public', '35ae62c20ace1d82fbe9c845c2a20eb44591578693a0f4f95fea39845cfc4b16');
--> statement-breakpoint
-- The indexes learn of it by the sweep; until then they show nothing of these files to readers.
INSERT INTO `reader_changes` (`file_source_id`, `file_ids`, `at`)
SELECT `file_source_id`, json_group_array(`id`), 0 FROM (
  SELECT f.`id`, f.`file_source_id`,
    row_number() OVER (PARTITION BY f.`file_source_id` ORDER BY f.`id`) / 500 AS `part`
  FROM `files` f JOIN `file_sources` s ON s.`id` = f.`file_source_id`
  LEFT JOIN `audiences` a ON a.`id` = f.`audience`
  WHERE f.`deleted_at` IS NULL AND (a.`readers` ->> '$[0].from' = 'default'
    OR f.`audience` IS NULL AND s.`provider` = 'file_system' AND s.`permissions` = 'on'))
GROUP BY `file_source_id`, `part`;
--> statement-breakpoint
UPDATE `files` SET `readers_revision` = `readers_revision` + 1,
  `audience` = iif((SELECT `provider` FROM `file_sources` s WHERE s.`id` = `file_source_id`) = 'web',
    '35ae62c20ace1d82fbe9c845c2a20eb44591578693a0f4f95fea39845cfc4b16',
    'f31d9de2dcd15e421202632ff3f375e6e2c2d54bfbb978df13847b177e4df56f')
WHERE `audience` IN (SELECT `id` FROM `audiences` WHERE `readers` ->> '$[0].from' = 'default')
  OR `audience` IS NULL AND `deleted_at` IS NULL AND `file_source_id` IN (
    SELECT `id` FROM `file_sources` WHERE `provider` = 'file_system' AND `permissions` = 'on');
