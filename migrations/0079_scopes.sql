-- Scopes. What a token may do is what all of these lists have in common; null means everything.
-- docs/decisions/0095-scopes.md.

-- What the app may ask for.
alter table apps add column scopes text[];
-- What the person has allowed the app.
alter table app_users add column scopes text[];
-- What the app asked for when the person signed in.
alter table authorization_codes add column scopes text[];
alter table device_grants add column scopes text[];
alter table sessions add column scopes text[];
-- What the app asked for at a refresh, if that was less.
alter table access_tokens add column scopes text[];
