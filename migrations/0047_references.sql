-- Statements that refer to another one, by it: whoever stores a statement looks for those that were here before it.
create index statement_refs_references on statement_refs (key, seq) where role = 14;
