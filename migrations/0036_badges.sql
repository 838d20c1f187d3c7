-- Badges, and what AI plugins read and write about people: docs/plugins-design.md, docs/decisions/0045-badges.md.

alter table skills
  -- Air Force Specialty Code, or what another service has in its place; empty where nobody said.
  add column afsc text not null default '',
  add column education text[] not null default '{}';

-- A badge belongs to a course, or to an objective of it, and so to the organisation of the course.
create table badges (
  id            bigint generated always as identity primary key,
  key           text not null unique,
  course_id     bigint not null references courses on delete cascade,
  -- Null: the whole course.
  objective_id  bigint references objectives on delete cascade,
  name          text not null,
  description   text not null,
  type          text not null,
  image         text not null,
  issuer_name   text not null,
  criteria      text not null,
  -- The plugin that made it; null: the organisation did.
  plugin_id     bigint references plugins on delete set null,
  created_at    timestamptz not null,
  changed_at    timestamptz not null,
  unique nulls not distinct (course_id, objective_id, name)
);
create index badges_by_objective on badges (objective_id);
create index badges_by_plugin on badges (plugin_id);

-- Somebody holds a badge. It says itself what it was when it was given, and outlives the badge.
create table badge_assertions (
  id               bigint generated always as identity primary key,
  person_id        bigint not null references people on delete cascade,
  -- The plugin whose own badge it is; null: it is one of the platform's.
  owner_id         bigint references plugins on delete cascade,
  badge_key        text not null,
  badge_id         bigint references badges on delete set null,
  organisation_id  bigint references organisations on delete set null,
  name             text not null,
  type             text not null,
  image            text not null,
  issuer_name      text not null,
  issued_at        timestamptz not null,
  lesson           text,
  class            text,
  version          text,
  -- Client ID of the plugin that asserted it, also when that is gone; null: the platform gave it.
  asserted_by      text,
  created_at       timestamptz not null,
  -- Once for a person and a badge, whoever asserts it and however often.
  unique nulls not distinct (person_id, owner_id, badge_key)
);
create index badge_assertions_by_badge on badge_assertions (badge_id);
create index badge_assertions_by_owner on badge_assertions (owner_id);
create index badge_assertions_by_organisation on badge_assertions (organisation_id);

-- Whether a student has earned a badge: the course's when every lesson of the version that the class takes is passed, an objective's when its lessons are passed and
-- its score, the mean of its lessons as results show it, is 80 or more; where no lesson has a score, passing is enough.
create function badge_met(b badges, enrolment bigint, version bigint) returns boolean language sql stable
  return case when b.objective_id is null then
      exists (select from lesson_versions l where l.version_id = version)
      and not exists (select from lesson_versions l where l.version_id = version
                        and not exists (select from standings s where s.enrolment_id = enrolment and s.lesson_id = l.lesson_id and s.is_passed))
    else
      exists (select from objective_versions o
               where o.version_id = version and o.objective_id = b.objective_id and cardinality(o.lessons) > 0
                 and o.lessons <@ passed_lessons(enrolment)
                 and coalesce((select avg(coalesce(
                        (select r.score from objective_scores r join attempts t on t.id = r.attempt_id and t.reset_at is null
                          where r.enrolment_id = enrolment and r.lesson_id = s.lesson_id and r.objective_id = o.objective_id), s.score))
                      from standings s where s.enrolment_id = enrolment and s.lesson_id = any(o.lessons)), 80) >= 80)
    end;

-- Badges that a plugin may see the holders of: those of its organisations, and its own.
create function plugin_sees_assertion(plugin bigint, a badge_assertions) returns boolean language sql stable
  return a.owner_id = plugin
      or a.owner_id is null and exists (select from plugin_organisations g where g.plugin_id = plugin and g.organisation_id = a.organisation_id);

-- What a plugin writes down about a person, for itself.
create table additional_info (
  plugin_id   bigint not null references plugins on delete cascade,
  person_id   bigint not null references people on delete cascade,
  info        json not null,
  changed_at  timestamptz not null,
  primary key (plugin_id, person_id)
);
create index additional_info_by_person on additional_info (person_id);
