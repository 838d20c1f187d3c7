-- Orders of lists that can have hundreds of thousands of rows: people in the administration, and the users of an app.
-- The expressions are those of `foldedName` in src/kernel/database/orders.ts.
create index people_by_name on people (
  (regexp_replace(normalize(lower(last_name), NFD), '[\u0300-\u036f]', '', 'g') collate "C"),
  (regexp_replace(normalize(lower(first_name), NFD), '[\u0300-\u036f]', '', 'g') collate "C"),
  id
) where not anonymous;
create index people_by_age on people (created_at, id) where not anonymous;
create index app_users_by_consent on app_users (app_id, consented_at, user_id)
  where withdrawn_at is null and allowed_at is not null;
