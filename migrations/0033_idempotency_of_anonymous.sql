-- What is kept under the Idempotency-Keys of anonymous users counts by app and network: anybody can make as many of them as they like.
alter table idempotency_keys add column anonymous_app bigint, add column network text;
create index idempotency_keys_by_anonymous on idempotency_keys (anonymous_app, created_at) where anonymous_app is not null;
