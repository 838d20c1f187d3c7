import type { Member } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Forget } from '../../kernel/forget.ts'
import { numberOf, show } from './query.ts'
import { keyOfAgent } from './refs.ts'
import type { Statement } from './statement.ts'
import * as store from './store.ts'
import { removeStatements } from './storing.ts'

/** A statement that was sent about a student. */
export interface Sent {
  readonly at: string
  readonly lessonId: string | null
  readonly lessonResultId: string | null
  /** Who sent it, as the calling app knows them. */
  readonly byId: string | null
  readonly byName: string | null
  readonly data: {
    readonly statementId: string
    readonly verb: string
    readonly verbName: string | null
    /** When it happened, as the sender says. */
    readonly timestamp: string | null
    readonly result: Statement['result'] | null
    /** What else the object says, such as v1's flags. */
    readonly extensions: Readonly<Record<string, unknown>>
  }
}

/** Statements about one student, the newest first and all of a moment. Whether the caller may read about the student is for them to know who ask. */
export async function listStatementsOfStudent(
  db: Db,
  who: Pick<Member, 'appId'>,
  what: { readonly enrolment: number; readonly before: Date; readonly limit: number },
): Promise<Sent[]> {
  const { enrolment, before, limit } = what
  const rows = await db.all(store.listOfStudent, { app: who.appId ?? null, enrolment, before: numberOf(before), limit })
  return rows.map((row) => {
    const { verb, object, result = null, timestamp } = JSON.parse(row.payload) as Statement
    return {
      at: new Date(Math.floor(row.seq / 1000)).toISOString(),
      lessonId: row.lesson,
      lessonResultId: row.attempt,
      byId: row.sender_user_id,
      byName: row.sender_name,
      data: {
        statementId: row.statement_id,
        verb: verb.id,
        verbName: Object.values(verb.display ?? {})[0] ?? null,
        timestamp: timestamp ?? null,
        result,
        extensions: ('definition' in object && object.definition?.extensions) || {},
      },
    }
  })
}

/** How many were sent about each lesson, by its id. */
export async function countStatementsOfStudent(db: Db, enrolment: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all(store.countOfStudent, { enrolment })
  return new Map(rows.map(({ lesson, count }) => [lesson, count]))
}

export async function* exportStatements(db: Db, personId: number): AsyncGenerator<unknown> {
  for (let after = 0; ; ) {
    const rows = await db.all(store.exportOfPerson, { person: personId, after })
    for (const row of rows) yield { ...show(row), ...(row.is_voided ? { voided: true } : {}) }
    if (rows.length < 500) return
    after = rows.at(-1)!.seq
  }
}

/** What they act in goes, and so does what names them, by whatever name. A part at a time, so that nobody who stores something meanwhile waits for long. */
export const forgetStatements: Forget = {
  forgetUser: async (tx, _who, { appId, userId }) => {
    const user = await tx.first(store.findPersonOfUser, { app: appId, user: userId })
    return !user || forgetSome(tx, user.person_id)
  },
  forgetPerson: async (tx, _who, personId) => {
    while (!(await forgetSome(tx, personId)));
  },
}

/** As a tool may have written it: another case, a slash behind the home page. */
const keysOfAccount = ({ home_page: page, name }: { readonly home_page: string; readonly name: string }): string[] => {
  const plain = page.replace(/\/$/, '')
  const names = new Set([name, name.toLowerCase(), name.toUpperCase()])
  return [plain, `${plain}/`].flatMap((homePage) =>
    [...names].flatMap((one) => keyOfAgent({ account: { homePage, name: one } }) ?? []),
  )
}

/** Whether nothing is left. */
async function forgetSome(tx: Db, personId: number): Promise<boolean> {
  const accounts = await tx.all(store.listAccounts, { person: personId })
  const keys = accounts.flatMap(keysOfAccount)
  const rows = await tx.all(store.listOfPerson, { person: personId, keys })
  const gone = rows.map(({ seq, sender, payload }) => ({ seq, sender, statement: JSON.parse(payload) as Statement }))
  if (gone.length > 0) await removeStatements(tx, gone)
  return gone.length === 0
}
