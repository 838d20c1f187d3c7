import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

const questionRow = {
  key: c.text,
  organisation: c.text,
  kind: c.text,
  tags: c.textArray,
  revision: c.int4,
  is_archived: c.bool,
  changed_at: c.instant,
}
const questionColumns = `q.key, o.key as organisation, q.kind, q.tags, q.revision, q.archived_at is not null as is_archived, q.changed_at`

/** Finds a question with its newest content, and whether the person writes courses of its organisation. */
export const findQuestion = read('quizzes.findQuestion', {
  params: { person: c.int8, question: c.text },
  row: { id: c.int8, ...questionRow, content: c.json, authors: c.bool },
  text: `
    select q.id, ${questionColumns}, v.content, a.creates as authors
      from questions q join organisations o on o.id = q.organisation_id
      join question_revisions v on v.question_id = q.id and v.number = q.revision,
      lateral creates_courses(:person, q.organisation_id) a
     where q.key = :question`,
})

export const lockQuestion = write('quizzes.lockQuestion', {
  params: { question: c.text },
  row: { id: c.int8 },
  text: `select id from questions where key = :question for update`,
})

/** Counts the questions of an organisation that are not archived. */
export const countQuestions = write('quizzes.countQuestions', {
  params: { organisation: c.int8 },
  row: { questions: c.int8 },
  text: `select count(*) as questions from questions where organisation_id = :organisation`,
})

const revision = {
  summary: c.text,
  tags: c.textArray,
  content: c.json,
  points: c.float8,
  parts: c.int4,
  now: c.timestamptz,
}

export const insertQuestion = write('quizzes.insertQuestion', {
  params: { key: c.text, organisation: c.int8, kind: c.text, ...revision },
  row: { question_id: c.int8 },
  text: `
    with question as (
      insert into questions (key, organisation_id, kind, summary, tags, revision, created_at, changed_at)
      values (:key, :organisation, :kind, :summary, :tags, 1, :now, :now) returning id
    )
    insert into question_revisions (question_id, number, tags, content, points, parts, created_at)
    select id, 1, :tags, :content, :points, :parts, :now from question returning question_id`,
})

/** Adds a revision. Its time is never before that of the revision before it, even if server clocks differ. */
export const addRevision = write('quizzes.addRevision', {
  params: { question: c.int8, ...revision },
  row: { question_id: c.int8 },
  text: `
    with question as (
      update questions set summary = :summary, tags = :tags, revision = revision + 1, changed_at = greatest(changed_at, :now)
       where id = :question returning id, revision, changed_at
    )
    insert into question_revisions (question_id, number, tags, content, points, parts, created_at)
    select id, revision, :tags, :content, :points, :parts, changed_at from question returning question_id`,
})

export const setArchived = write('quizzes.setArchived', {
  params: { question: c.int8, archived: c.bool, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update questions set archived_at = case when :archived then coalesce(archived_at, :now) end where id = :question returning id`,
})

/** Lists the questions of an organisation, the latest changes first. */
export const listQuestions = report('quizzes.listQuestions', {
  params: {
    organisation: c.int8,
    words: c.textArray,
    tag: nullable(c.text),
    kind: nullable(c.text),
    keys: nullable(c.textArray),
    archived: c.bool,
    limit: c.int8,
    offset: c.int8,
  },
  row: { ...questionRow, summary: c.text, total: c.int8 },
  text: `
    select ${questionColumns}, q.summary, count(*) over () as total
      from questions q join organisations o on o.id = q.organisation_id
     where q.organisation_id = :organisation and (q.archived_at is not null) = :archived
       and (:tag is null or :tag = any(q.tags)) and (:kind is null or q.kind = :kind) and (:keys is null or q.key = any(:keys))
       and ${contains(`q.summary || ' ' || array_to_string(q.tags, ' ')`)}
     order by q.changed_at desc, q.id desc limit :limit offset :offset`,
})

export const listTags = report('quizzes.listTags', {
  params: { organisation: c.int8 },
  row: { tag: c.text, questions: c.int8 },
  text: `
    select t.tag, count(*) as questions from questions q, unnest(q.tags) as t(tag)
     where q.organisation_id = :organisation and q.archived_at is null group by t.tag order by count(*) desc, t.tag limit 500`,
})

/** Finds questions of an import with their newest content. */
export const findImported = list('quizzes.findImported', {
  params: { keys: c.textArray },
  row: {
    id: c.int8,
    key: c.text,
    organisation: c.text,
    kind: c.text,
    tags: c.textArray,
    revision: c.int4,
    content: c.json,
  },
  text: `
    select q.id, q.key, o.key as organisation, q.kind, q.tags, q.revision, v.content
      from questions q join organisations o on o.id = q.organisation_id
      join question_revisions v on v.question_id = q.id and v.number = q.revision
     where q.key = any(:keys)`,
})

export const lockQuestions = write('quizzes.lockQuestions', {
  params: { keys: c.textArray },
  row: { id: c.int8 },
  text: `select id from questions where key = any(:keys) order by id for update`,
})

export const countBanks = read('quizzes.countBanks', {
  params: { organisations: c.textArray },
  row: { key: c.text, questions: c.int8 },
  gather: false,
  text: `
    select o.key, count(*) as questions from organisations o join questions q on q.organisation_id = o.id
     where o.key = any(:organisations) group by o.key`,
})
