-- Documents of the record store: the state of activities, profiles of activities and of agents (xAPI-Communication 2.2).
create table documents (
  -- Of the kind and everything that names a document, as a hash: ids may be longer than what an index holds.
  document_key  uuid primary key,
  -- Of the kind and what lists go by: the agent, the activity, or both.
  context_key   uuid not null,
  kind          text not null check (kind in ('state', 'activity profile', 'agent profile')),
  -- Where the agent is an account of this platform: whose, in the form that handles are compared in, whether there is such a person yet or not. Their documents go with them.
  handle        text,
  activity_id   text,
  registration  uuid,
  id            text not null,
  content_type  text not null,
  contents      bytea not null,
  -- SHA-1 of the contents, in hex.
  etag          text not null,
  updated       timestamptz not null
);
create index documents_by_context on documents (context_key, updated);
create index documents_by_handle on documents (handle, document_key) where handle is not null;
