-- Kinds of lessons: docs/lessons-design.md.

alter table lesson_versions
  add column kind text not null default 'activity',
  -- The part of the lesson that depends on its kind: the text of a page, the file, the rubric or the quiz.
  add column content json,
  -- Keys of the uploaded files that it uses, so that they cannot be deleted.
  add column files text[] not null default '{}';
update lesson_versions set kind = 'app' where app_id is not null or launch_uri is not null;
create index lesson_versions_by_file on lesson_versions using gin (files) where files <> '{}';
