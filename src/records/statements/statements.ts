import type { Member } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Forget } from '../../kernel/forget.ts'
import { parseJson } from '../../kernel/json.ts'
import { keyOfAgent } from './model/refs.ts'
import type { Statement } from './model/statement.ts'
import { numberOf } from './model/times.ts'
import { presentStatement } from './query/query.ts'
import * as store from './store.ts'
import { removeStatements, toRemovable } from './storing/removal.ts'

/** A statement about a student, for the timeline. */
export interface StudentStatement {
  readonly at: string
  readonly lessonId: string | null
  readonly lessonResultId: string | null
  /** The sender's user id in the calling app, and the sender's name. */
  readonly byId: string | null
  readonly byName: string | null
  readonly data: {
    readonly statementId: string
    /** Null, as are the fields after it, if the statements of this millisecond are too large for one page. */
    readonly verb: string | null
    readonly verbName: string | null
    /** The time of the experience, as the sender stated it. */
    readonly timestamp: string | null
    readonly result: Statement['result'] | null
    /** The extensions of the object's definition. Statements sent to `/edu/v1` have their flags here. */
    readonly extensions: Readonly<Record<string, unknown>>
  }
}

/**
 * Lists statements about a student, newest first. May exceed `limit`, so that the statements of one millisecond are
 * never split between pages. `isCut` is true if there are fewer because they are large. The calling operation has
 * checked that `who` may read about the student.
 */
export async function listStatementsOfStudent(
  db: Db,
  who: Pick<Member, 'appId'>,
  what: { readonly enrolment: number; readonly before: Date; readonly limit: number },
): Promise<{ statements: StudentStatement[]; isCut: boolean }> {
  const { enrolment, before, limit } = what
  const rows = await db.all(store.listOfStudent, { app: who.appId ?? null, enrolment, before: numberOf(before), limit })
  const statements = rows.map((row): StudentStatement => {
    const { verb, object, result = null, timestamp } = parseJson(row.payload ?? '{}') as Partial<Statement>
    return {
      at: new Date(Math.floor(row.seq / 1000)).toISOString(),
      lessonId: row.lesson,
      lessonResultId: row.attempt,
      byId: row.sender_user_id,
      byName: row.sender_name,
      data: {
        statementId: row.statement_id,
        verb: verb?.id ?? null,
        verbName: Object.values(verb?.display ?? {})[0] ?? null,
        timestamp: timestamp ?? null,
        result,
        extensions: (object && 'definition' in object && object.definition?.extensions) || {},
      },
    }
  })
  return { statements, isCut: rows.length < (rows[0]?.found ?? 0) }
}

/** Counts the statements about each lesson of a student, keyed by lessonId. */
export async function countStatementsOfStudent(db: Db, enrolment: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all(store.countOfStudent, { enrolment })
  return new Map(rows.map(({ lesson, count }) => [lesson, count]))
}

export async function* exportStatements(db: Db, personId: number): AsyncGenerator<unknown> {
  for (let after = 0; ; ) {
    const rows = await db.all(store.exportOfPerson, { person: personId, after })
    for (const row of rows) yield { ...presentStatement(row), ...(row.is_voided ? { voided: true } : {}) }
    if (rows.length === 0) return
    after = rows.at(-1)!.seq
  }
}

/**
 * Removes the statements in which a person is the actor, and those that name the person by one of their accounts. Each
 * transaction removes only some of them, so that writers do not wait long.
 */
export const forgetStatements: Forget = {
  forgetUser: async (tx, _who, { appId, userId }) => {
    const user = await tx.first(store.findPersonOfUser, { app: appId, user: userId })
    return !user || forgetSome(tx, user.person_id)
  },
  forgetPerson: async (tx, _who, personId) => {
    while (!(await forgetSome(tx, personId)));
  },
}

/**
 * Returns the keys of an account in the spellings that tools use: other letter case, or a slash after the home page.
 */
const keysOfAccount = ({ home_page: page, name }: { readonly home_page: string; readonly name: string }): string[] => {
  const withoutSlash = page.replace(/\/$/, '')
  const names = new Set([name, name.toLowerCase(), name.toUpperCase()])
  return [withoutSlash, `${withoutSlash}/`].flatMap((homePage) =>
    [...names].flatMap((spelling) => keyOfAgent({ account: { homePage, name: spelling } }) ?? []),
  )
}

/** Removes up to 1000 statements. Returns true if there were none left to remove. */
async function forgetSome(tx: Tx, personId: number): Promise<boolean> {
  const accounts = await tx.all(store.listAccounts, { person: personId })
  const keys = accounts.flatMap(keysOfAccount)
  const rows = await tx.all(store.listOfPerson, { person: personId, keys })
  if (rows.length > 0) await removeStatements(tx, rows.map(toRemovable))
  return rows.length === 0
}
