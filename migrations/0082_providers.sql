-- Sign-in with an organisation's own OpenID provider. docs/decisions/0098-an-organisations-own-provider.md.

create table providers (
  organisation_id   bigint primary key references organisations on delete cascade,
  issuer            text not null,
  client_id         text not null,
  -- The client secret, encrypted.
  sealed_secret     bytea not null,
  -- What the provider says about itself, and when it was last read.
  metadata          json not null,
  read_at           timestamptz not null,
  mode              text not null check (mode in ('off', 'allowed', 'enforced')),
  -- Whether people without an account get one when they sign in for the first time.
  creates_accounts  boolean not null,
  -- The claim with the names of a person's groups, and the role that each group gives. Null: roles are set by hand.
  groups_claim      text,
  group_roles       json not null,
  -- Increases when the issuer or the client changes. Until it was tested since, the provider stays off.
  version           integer not null,
  tested_version    integer,
  tested_at         timestamptz,
  created_at        timestamptz not null,
  changed_at        timestamptz not null
);

-- E-mail domains of organisations. A domain is proven by a TXT record of DNS, and by one organisation only.
create table organisation_domains (
  organisation_id  bigint not null references organisations on delete cascade,
  domain           text not null,
  challenge        text not null,
  proven_at        timestamptz,
  created_at       timestamptz not null,
  primary key (organisation_id, domain)
);
create unique index organisation_domains_proven on organisation_domains (domain) where proven_at is not null;

-- Owners who can sign in with their password or passkey although the provider is enforced.
create table break_glass_accounts (
  organisation_id  bigint not null,
  person_id        bigint not null,
  primary key (organisation_id, person_id),
  foreign key (organisation_id, person_id) references organisation_members on delete cascade
);
create index break_glass_accounts_by_person on break_glass_accounts (person_id);

-- Who signs in with a provider. Who leaves the organisation can no longer sign in with its provider.
create table provider_identities (
  organisation_id  bigint not null,
  issuer           text not null,
  subject          text not null,
  person_id        bigint not null,
  linked_at        timestamptz not null,
  last_used_at     timestamptz not null,
  primary key (organisation_id, issuer, subject),
  unique (organisation_id, person_id),
  foreign key (organisation_id, person_id) references organisation_members on delete cascade
);
create index provider_identities_by_person on provider_identities (person_id);

-- Sign-ins that have been started at a provider. Each is taken once, by the browser that started it.
create table provider_sign_ins (
  state_hash       bytea primary key,
  organisation_id  bigint not null references organisations on delete cascade,
  browser_hash     bytea not null,
  -- The version of the provider with which the sign-in was started.
  version          integer not null,
  purpose          text not null check (purpose in ('sign-in', 'link', 'test')),
  -- For `link` and `test`: the person who has proven who they are.
  person_id        bigint references people on delete cascade,
  epoch            integer,
  -- The path of this platform to continue at.
  next             text,
  is_kept          boolean not null,
  -- Whether the provider was told to ask the person to sign in, even if they are signed in there.
  is_fresh         boolean not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null
);
create index provider_sign_ins_by_organisation on provider_sign_ins (organisation_id);
create index provider_sign_ins_by_person on provider_sign_ins (person_id) where person_id is not null;
create index provider_sign_ins_by_end on provider_sign_ins (expires_at);

-- When the person has shown at the provider who they are, which can be long before the sign-in. Null: at the sign-in.
alter table browsers add column authenticated_at timestamptz;

-- Browsers that were signed in through a provider, so that they can be signed out there too.
create table provider_browsers (
  browser_id       uuid primary key references browsers on delete cascade,
  organisation_id  bigint not null references organisations on delete cascade,
  -- The ID token, encrypted.
  sealed_id_token  bytea not null
);
create index provider_browsers_by_organisation on provider_browsers (organisation_id);

-- Sign-ins that failed, for the owners of the organisation.
create table provider_failures (
  id               bigint generated always as identity primary key,
  organisation_id  bigint not null references organisations on delete cascade,
  at               timestamptz not null,
  -- Shown to the person, who can tell it to an owner.
  reference        text not null,
  problem          text not null,
  -- The claim that was wrong, what it was and what was expected.
  claim            text,
  found            text,
  expected         text
);
create index provider_failures_by_organisation on provider_failures (organisation_id, id desc);
create index provider_failures_by_age on provider_failures (at);

-- The organisations with one of whose providers a person has to sign in; none if the person is free to choose. Each
-- concerns members whose account it manages, whose confirmed address is in one of its proven domains, or who have signed
-- in with its provider.
create function required_providers(person bigint) returns setof bigint language sql stable
begin atomic
  select v.organisation_id
    from organisation_members m
    join providers v on v.organisation_id = m.organisation_id
    join people p on p.id = m.person_id
   where m.person_id = person and v.mode = 'enforced'
     and not (m.role = 'owner'
              and exists (select from break_glass_accounts b
                           where b.organisation_id = v.organisation_id and b.person_id = m.person_id))
     and (p.managed_by = v.organisation_id
          or exists (select from provider_identities i
                      where i.organisation_id = v.organisation_id and i.person_id = m.person_id)
          or p.email_confirmed_at is not null
             and exists (select from organisation_domains d
                          where d.organisation_id = v.organisation_id and d.proven_at is not null
                            and d.domain = lower(split_part(p.email, '@', 2))));
end;

-- The one of these organisations to which a person is led; null if there is none.
create function required_provider(person bigint) returns bigint language sql stable
begin atomic
  select min(organisation) from required_providers(person) as organisation;
end;
