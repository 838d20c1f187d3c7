import { PlatformError } from '../../errors.ts'
import { sayWait } from '../../pages/account/moments.ts'

/** The reason why a form is shown again. */
export interface FormProblem {
  readonly sentence: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** For a form that was shown before the person signed in or out in another tab. */
export const OUTDATED: FormProblem = {
  sentence: 'This page had expired, or your browser blocks cookies. Enter your password again.',
  status: 403,
  headers: {},
}

/** Converts an error that the person can correct in the form. Any other error is rethrown and becomes an error page. */
export function readProblem(error: unknown): FormProblem {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error
  const { message, status, retryAfterSeconds: wait } = error
  if (wait === undefined) return { sentence: `${sayField(message)}.`, status, headers: {} }
  // Passwords are not only typed to sign in, so the message says "tries" instead of "sign-ins". The advice after the
  // semicolon is dropped, because the sentence below says how long to wait.
  const what = message.startsWith('Too many failed') ? 'Too many failed tries' : message.split(';', 1)[0]
  const sentence = `${what}. Wait ${sayWait(wait)}, then try again.`
  return { sentence, status, headers: { 'retry-after': String(wait) } }
}

/**
 * Replaces the field's name at the start of a message, such as `firstName must be…`, with the label that people see
 * ("First name").
 */
const sayField = (message: string): string =>
  message.replace(/^[a-z][A-Za-z]*/, (name) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    return words[0]!.toUpperCase() + words.slice(1)
  })
