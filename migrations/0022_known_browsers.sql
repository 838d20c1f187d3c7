-- Wrong guesses are counted by handle and address together, by browser that has signed in before, and by signed-in browser: whom a count is about is a column, so that all
-- of them end with a new password, and go with the person.
alter table sign_in_failures add column about text;
update sign_in_failures set about = case when subject like 'account:%' then subject else 'person:' || split_part(subject, ':', 2) end
 where subject ~ '^(account|codes|handles|asked|blocked):';
create index sign_in_failures_by_about on sign_in_failures (about) where about is not null;
