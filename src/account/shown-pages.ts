import { ACTION_PATHS, type AccountAction, accountPage } from '../../web/pages/account/account-page.ts'
import { accountNavigation } from '../../web/pages/account/navigation.ts'
import { type PasskeyBoxes, passwordPage } from '../../web/pages/account/password-page.ts'
import { askResetPage, resetPage } from '../../web/pages/account/reset-page.ts'
import { PASSKEY_SCRIPT, signInPage } from '../../web/pages/account/signin-page.ts'
import { type Html, html } from '../../web/pages/html.ts'
import type { PersonCaller } from '../caller.ts'
import type { FormProblem } from '../http/pages/form-problem.ts'
import { withNext } from '../http/pages/next.ts'
import { MIN_PASSWORD_LENGTH } from '../people/passwords.ts'
import type { listOwnApps, listOwnBrowsers } from './account.ts'

export const HOME = '/account'
export const SIGN_IN = '/account/signin'
export const PASSWORD = '/account/password'
export const RESET = '/account/reset'

/** What the key of each form is made for. */
export const PURPOSES = {
  signIn: 'account.signin',
  password: 'account.password',
  askReset: 'account.reset.ask',
  reset: 'account.reset',
  signOut: 'account.signout',
  endSession: 'account.session.end',
  endBrowser: 'account.browser.end',
  endAll: 'account.sessions.end-all',
  withdraw: 'account.app.withdraw',
} as const

type FormKey = (purpose: string) => string
const minLength = MIN_PASSWORD_LENGTH

/** What a page has in common with the one that is shown again because of a problem. */
const statusOf = (problem: FormProblem | undefined) =>
  problem ? { status: problem.status, headers: problem.headers } : {}

/** What the forms for strangers show beside their fields. */
interface FormView {
  readonly handle?: string | undefined
  readonly notice?: string | undefined
  readonly problem?: FormProblem | undefined
}

export const showSignIn = (
  csrfToken: FormKey,
  { next, handle, notice, problem }: FormView & { readonly next?: string | undefined },
) => ({
  title: 'Sign in',
  scripts: [PASSKEY_SCRIPT],
  ...statusOf(problem),
  body: signInPage({
    heading: 'Sign in',
    action: withNext(SIGN_IN, next),
    csrfToken: csrfToken(PURPOSES.signIn),
    handle,
    notice,
    problem: problem?.sentence,
  }),
})

interface AccountView {
  readonly apps: Awaited<ReturnType<typeof listOwnApps>>
  readonly browsers: Awaited<ReturnType<typeof listOwnBrowsers>>
  readonly passkeys: Html
  readonly notice: string | undefined
  readonly isAdult: boolean
}

export function showAccount(csrfToken: FormKey, { handle, name, at: now }: PersonCaller, view: AccountView) {
  const actions = Object.keys(ACTION_PATHS) as AccountAction[]
  const csrfTokens = Object.fromEntries(actions.map((action) => [action, csrfToken(PURPOSES[action])]))
  return {
    title: 'Your apps and devices',
    scripts: [PASSKEY_SCRIPT],
    body: html`${accountNavigation('overview', view)}${accountPage({
      handle,
      name,
      now,
      ...view,
      csrfTokens: csrfTokens as Record<AccountAction, string>,
    })}`,
  }
}

export const showPassword = (
  csrfToken: FormKey,
  form: { handle: string; passkeys: PasskeyBoxes },
  problem?: FormProblem,
) => ({
  title: 'Change your password',
  ...statusOf(problem),
  body: passwordPage({
    action: PASSWORD,
    csrfToken: csrfToken(PURPOSES.password),
    ...form,
    minLength,
    problem: problem?.sentence,
  }),
})

export const showAskReset = (
  csrfToken: FormKey,
  { canSend, handle, notice, problem }: FormView & { readonly canSend: boolean },
) => ({
  title: 'Forgot your password?',
  ...statusOf(problem),
  body: askResetPage({
    action: RESET,
    csrfToken: csrfToken(PURPOSES.askReset),
    canSend,
    handle,
    notice,
    problem: problem?.sentence,
  }),
})

export const showReset = (
  csrfToken: FormKey,
  form: { code: string; handle: string; passkeys: PasskeyBoxes },
  problem?: FormProblem,
) => ({
  title: 'Choose a new password',
  ...statusOf(problem),
  body: resetPage({
    action: RESET,
    csrfToken: csrfToken(PURPOSES.reset),
    ...form,
    minLength,
    problem: problem?.sentence,
  }),
})
