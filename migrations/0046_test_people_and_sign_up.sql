-- People whom a developer has made up in the sandbox, to try an app with. Where the maker is gone, upkeep removes them.
create table test_people (
  person_id  bigint primary key references people on delete cascade,
  maker_id   bigint references people on delete set null
);
create index test_people_by_maker on test_people (maker_id);

-- Somebody has used a link that was sent to the address they have now. One confirmed address belongs to one person, who can sign in by it.
alter table people add column email_confirmed_at timestamptz;
create unique index people_by_confirmed_email on people (lower(email)) where email_confirmed_at is not null;

-- Where the link was sent: who uses it has confirmed that address. Null: an operator handed it over.
alter table password_resets add column sent_to text;

-- An address for which somebody wants an account, until they have used the link that was sent there.
create table sign_ups (
  code_hash   bytea primary key,
  email       text not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz
);
create index sign_ups_by_email on sign_ups (lower(email), created_at);
create index sign_ups_by_expiry on sign_ups (expires_at);
