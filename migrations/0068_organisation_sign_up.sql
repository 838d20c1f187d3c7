-- An organisation can be open for sign-up: people join with an address in one of the domains, or with the code.
alter table organisations
  add column sign_up_domains text[] not null default '{}',
  add column sign_up_code    text;

-- The organisation that the link of a sign-up joins, and the code that was typed; no code if the address was enough.
alter table sign_ups
  add column organisation_id   bigint references organisations on delete cascade,
  add column organisation_code text;
create index sign_ups_by_organisation on sign_ups (organisation_id) where organisation_id is not null;
