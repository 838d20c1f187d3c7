-- Packages of SCORM 1.2 and SCORM 2004 beside those of cmi5. docs/decisions/0099-packages.md.

alter table packages
  drop constraint packages_kind_check,
  add constraint packages_kind_check check (kind in ('cmi5', 'scorm12', 'scorm2004'));
