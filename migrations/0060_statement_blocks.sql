-- Blocks of 8,192 statements with the positions of every common key, so that filters on keys which rarely or never meet
-- need not walk through all entries of one of them (decision 83).

create table statement_blocks (
  -- The statements of a block have numbers greater than `after`, and up to and including `upto`.
  upto       bigint primary key,
  after      bigint not null,
  -- Whether the positions are complete. A key that is added to a statement later makes them incomplete.
  is_ready   boolean not null default false,
  -- Counts those later keys. Positions that were collected before such a key was added are discarded.
  changes    integer not null default 0,
  -- The number of every 64th statement, and that of the last one.
  anchors    bigint[] not null default '{}'
);
create index statement_blocks_unready on statement_blocks (upto) where not is_ready;

-- A key that occurs at least 16 times in a block has a row for each of its roles there. A bit stands for a statement.
create table statement_postings (
  key        uuid not null,
  upto       bigint not null,
  role       smallint not null,
  positions  bit(8192) not null,
  primary key (key, upto, role)
);
create index statement_postings_by_block on statement_postings (upto);

-- Finds the keys of a block without reading a whole month: rows are stored almost in the order of their numbers. It is an
-- index on an expression, so that no other query uses it; the primary key is better for them.
create index statement_refs_by_block on statement_refs using brin ((seq + 0)) with (pages_per_range = 32);
