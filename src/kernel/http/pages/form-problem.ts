import { PlatformError } from '../../errors.ts'
import { sayWait } from '../../pages/account/moments.ts'

/** Why a form is shown again. */
export interface FormProblem {
  readonly sentence: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** The sign-in form is from before somebody signed in or out in another tab. */
export const OUTDATED: FormProblem = {
  sentence: 'This page was out of date, or your browser keeps no cookies. Type your password once more.',
  status: 403,
  headers: {},
}

/** What whoever filled in a form can mend; anything else is thrown on, and becomes a page of its own. */
export function readProblem(error: unknown): FormProblem {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error
  const { message, status, retryAfterSeconds: wait } = error
  if (wait === undefined) return { sentence: `${sayField(message)}.`, status, headers: {} }
  // A password is not always typed to sign in. What comes behind a semicolon is advice to wait, without the time.
  const what = message.startsWith('Too many failed') ? 'Too many failed tries' : message.split(';', 1)[0]
  const sentence = `${what}. Wait ${sayWait(wait)}, then try again.`
  return { sentence, status, headers: { 'retry-after': String(wait) } }
}

/** Operations begin with the name of a field where that is what is wrong: `firstName must be…`. People know it as First name. */
const sayField = (message: string): string =>
  message.replace(/^[a-z][A-Za-z]*/, (name) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    return words[0]!.toUpperCase() + words.slice(1)
  })
