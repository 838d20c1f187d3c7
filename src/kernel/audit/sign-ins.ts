import type { Db } from '../database/database.ts'
import { type Environment, service } from '../environment.ts'

const SIGN_IN = 'sign-in-counted'
const PREFIX = 'sign-in.'
const FAILED = 'failed'

/** Counts of sign-ins in this process: successful ones by method, and failed ones. */
interface SignIns {
  readonly byDoor: Record<string, number>
  failures: number
}
export const signIns = service((): SignIns => ({ byDoor: {}, failures: 0 }))

/** Counts a sign-in in this process once its transaction commits. */
export function tellSignIn(db: Db, action: string): void {
  if (!action.startsWith(PREFIX)) return
  db.afterCommit(() => db.tellHere(JSON.stringify({ topic: SIGN_IN, door: action.slice(PREFIX.length) })))
}

export async function followSignIns({ db, get }: Environment): Promise<void> {
  const counted = get(signIns)
  db.onMessage(SIGN_IN, ({ door }) => {
    if (door === FAILED) counted.failures++
    else if (typeof door === 'string') counted.byDoor[door] = (counted.byDoor[door] ?? 0) + 1
  })
}
