-- Packages as lessons: the unit or block of a content package that a lesson shows. docs/lessons-design.md.

alter table lesson_versions
  -- A package that a version of a course uses cannot be deleted, because students may still take it.
  add column package_id bigint references packages on delete restrict,
  add column package_item integer;
create index lesson_versions_by_package on lesson_versions (package_id, version_id) where package_id is not null;

-- Keys of the packages that the draft of a course uses. Drafts are written without spaces between names and values.
create function packages_in(draft json) returns text[] language sql immutable parallel safe
return array(select distinct m[1] from regexp_matches(draft::text, '"package":"([A-Za-z0-9_-]+)"', 'g') m);
create index courses_by_draft_package on courses using gin (packages_in(draft)) where draft is not null;
