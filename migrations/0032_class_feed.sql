-- What happens in a class, in its order, for those who watch it: read straight from the log of events.
create index events_by_class on events (((payload ->> 'class')::bigint), id) where kind like 'attempt.%' or kind like 'objective.%';
