import { isDeepStrictEqual } from 'node:util'
import { lockAuthored, readAuthored } from '../../apps/organisations/organisations.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { managed } from '../../kernel/managed.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import * as store from './bank-store.ts'
import {
  type ArchiveQuestion,
  type ChangeQuestion,
  type CreateQuestion,
  type ListedQuestion,
  type ListQuestions,
  type ListTags,
  MAX_QUESTIONS,
  type NameQuestion,
  type Question,
  type QuestionContent,
  type QuestionKind,
} from './question-schema.ts'
import { countParts, maxPointsOf, readQuestion as readContent } from './rules.ts'

const SUMMARY = 300

const authoredQuestion = managed({
  find: (db, { person, key }) => db.first(store.findQuestion, { person, question: key }),
  lock: (tx, key) => tx.first(store.lockQuestion, { question: key }),
  isManaged: ({ authors }) => authors,
  refusal: 'There is no question with this id, or you cannot create courses in its organisation',
})

/** Creates a question in the bank of an organisation. */
export function createQuestion(
  db: Db,
  who: PersonCaller,
  { organisation, ...given }: CreateQuestion,
): Promise<Question> {
  const { content, tags } = readContent(given)
  return db.transaction(async (tx) => {
    const { id } = await lockAuthored(tx, who, organisation)
    const { questions } = (await tx.first(store.countQuestions, { organisation: id }))!
    if (questions >= MAX_QUESTIONS)
      throw fail('impossibleNow', `An organisation can have ${MAX_QUESTIONS} questions; change existing ones instead`)
    const key = makeId()
    await tx.first(store.insertQuestion, {
      key,
      organisation: id,
      kind: content.kind,
      ...toRevision(who, content, tags),
    })
    await audit(tx, who, 'question.created', { organisation, question: key })
    return toQuestion(await authoredQuestion.read(tx, who, key))
  })
}

/** Replaces the content of a question with a new revision. Published courses keep the revision that they use. */
export function changeQuestion(
  db: Db,
  who: PersonCaller,
  { questionId, revision, ...given }: ChangeQuestion,
): Promise<Question> {
  const { content, tags } = readContent(given)
  return db.transaction(async (tx) => {
    const before = await authoredQuestion.lock(tx, who, questionId)
    if (revision !== undefined && revision !== before.revision)
      throw fail('conflict', 'Somebody has changed this question since you opened it; read it again')
    if (content.kind !== before.kind)
      throw fail('validationFailed', `kind must stay ${before.kind}; create another question instead`)
    if (isDeepStrictEqual(JSON.parse(before.content), content) && isDeepStrictEqual(before.tags, tags))
      return toQuestion(before)
    await tx.first(store.addRevision, { question: before.id, ...toRevision(who, content, tags) })
    await audit(tx, who, 'question.changed', { organisation: before.organisation, question: questionId })
    return toQuestion(await authoredQuestion.read(tx, who, questionId))
  })
}

export const readQuestion = async (db: Db, who: PersonCaller, { questionId }: NameQuestion): Promise<Question> =>
  toQuestion(await authoredQuestion.read(db, who, questionId))

/** Archives a question, or restores it. Published courses that use it are not affected. */
export function archiveQuestion(
  db: Db,
  who: PersonCaller,
  { questionId, archived = true }: ArchiveQuestion,
): Promise<Question> {
  return db.transaction(async (tx) => {
    const before = await authoredQuestion.lock(tx, who, questionId)
    if (before.is_archived !== archived) {
      await tx.first(store.setArchived, { question: before.id, archived, now: who.at })
      const action = archived ? 'question.archived' : 'question.restored'
      await audit(tx, who, action, { organisation: before.organisation, question: questionId })
    }
    return toQuestion({ ...before, is_archived: archived })
  })
}

export async function listQuestions(db: Db, who: PersonCaller, what: ListQuestions): Promise<Page<ListedQuestion>> {
  const { id } = await readAuthored(db, who, what.organisation)
  const rows = await db.all(store.listQuestions, {
    organisation: id,
    words: wordsIn(what.query),
    tag: what.tag?.toLowerCase() ?? null,
    kind: what.kind ?? null,
    keys: what.questions === undefined ? null : [...what.questions],
    archived: what.archived ?? false,
    ...spanOf(what),
  })
  const questions = rows.map((row) => ({
    ...known(row),
    kind: row.kind as QuestionKind,
    summary: row.summary,
    tags: row.tags,
  }))
  return pageOf(questions, rows[0]?.total ?? 0, what)
}

export async function listTags(db: Db, who: PersonCaller, { organisation }: ListTags) {
  const { id } = await readAuthored(db, who, organisation)
  return db.all(store.listTags, { organisation: id })
}

export const toRevision = ({ at }: Caller, content: QuestionContent, tags: string[]) => ({
  summary: content.text.length > SUMMARY ? `${content.text.slice(0, SUMMARY - 1).toWellFormed()}…` : content.text,
  tags,
  content: JSON.stringify(content),
  points: maxPointsOf(content),
  parts: countParts(content),
  now: at,
})

const known = (
  row: Pick<RowOf<typeof store.findQuestion>, 'key' | 'organisation' | 'revision' | 'is_archived' | 'changed_at'>,
) => ({
  questionId: row.key,
  organisation: row.organisation,
  revision: row.revision,
  archived: row.is_archived,
  changedDate: row.changed_at,
})

const toQuestion = (row: RowOf<typeof store.findQuestion>): Question => ({
  ...known(row),
  ...(JSON.parse(row.content) as QuestionContent),
  tags: row.tags,
})

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, detail: Record<string, string>) =>
  recordAudit(tx, who, { action, personId: who.personId, detail })
