-- Where a browser was last used (an IPv4 address, or the /64 of an IPv6 one; null: not known) and when, to ten minutes: people shall recognise their own.
alter table browsers add column address text;
alter table browsers add column last_used_at timestamptz not null default now();
update browsers set last_used_at = created_at;
