-- Kinds of lessons: docs/lessons-design.md.
-- checksum fd1df0e5326d14c7013f6badfc1726614336cdf7a8a631ed50cc5d6145258e3f

alter table lesson_versions
  add column kind text,
  -- The part of the lesson that depends on its kind: the text of a page, the file, the rubric or the quiz.
  add column content json,
  -- Keys of the uploaded files that it uses, so that they cannot be deleted.
  add column files text[];
-- Not in one step: since 15.20, PostgreSQL adds no column with a default to a table whose rows SQL functions take.
alter table lesson_versions alter column kind set default 'activity', alter column files set default '{}';
update lesson_versions
   set kind = case when app_id is not null or launch_uri is not null then 'app' else 'activity' end, files = '{}';
alter table lesson_versions alter column kind set not null, alter column files set not null;
create index lesson_versions_by_file on lesson_versions using gin (files) where files <> '{}';
