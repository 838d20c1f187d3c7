import { MIN_PASSWORD_LENGTH } from '../../identity/people/passwords.ts'
import type { FormProblem } from '../../kernel/http/pages/form-problem.ts'
import { withNext } from '../../kernel/http/pages/next.ts'
import {
  closedPage,
  type JoinTarget,
  joinedPage,
  joinLinkPage,
  joinPage,
} from '../../kernel/pages/account/join-page.ts'
import type { PasskeyBoxes } from '../../kernel/pages/account/new-password.ts'
import {
  accountReadyPage,
  askResetPage,
  invitationEndedPage,
  resetDonePage,
  resetPage,
} from '../../kernel/pages/account/reset-page.ts'
import { PASSKEY_SCRIPT, signInPage } from '../../kernel/pages/account/signin-page.ts'
import { askSignUpPage, type NewPerson, signUpPage } from '../../kernel/pages/account/signup-page.ts'
import { JOIN, joinPath } from '../organisations/sign-up.ts'

export const HOME = '/account'
export const SIGN_IN = '/account/signin'
export const RESET = '/account/reset'
export const SIGN_UP = '/account/signup'

/** The purposes of CSRF tokens, one for each form. A token is valid only for its purpose. */
export const PURPOSES = {
  signIn: 'account.signin',
  askReset: 'account.reset.ask',
  reset: 'account.reset',
  askSignUp: 'account.signup.ask',
  signUp: 'account.signup',
  join: 'account.join',
} as const

type FormKey = (purpose: string) => string
const minLength = MIN_PASSWORD_LENGTH

/** Returns the status and headers of a page that is shown again because of a problem. */
const statusOf = (problem: FormProblem | undefined) =>
  problem ? { status: problem.status, headers: problem.headers } : {}

/** The values shared by the forms for people who are not signed in. */
interface FormView {
  readonly handle?: string | undefined
  readonly notice?: string | undefined
  readonly problem?: FormProblem | undefined
}

export interface SignInView extends FormView {
  readonly next?: string | undefined
  readonly providers?: readonly { readonly name: string; readonly path: string }[]
}

export const showSignIn = (
  csrfToken: FormKey,
  {
    next,
    handle,
    notice,
    problem,
    canSignUp,
    hasDemo,
    hasProviders,
    providers,
  }: SignInView & { readonly canSignUp: boolean; readonly hasDemo: boolean; readonly hasProviders: boolean },
) => ({
  title: 'Sign in',
  leadsToApp: hasProviders,
  scripts: [PASSKEY_SCRIPT],
  ...statusOf(problem),
  body: signInPage({
    heading: 'Sign in',
    action: withNext(SIGN_IN, next),
    csrfToken: csrfToken(PURPOSES.signIn),
    handle,
    notice,
    canSignUp,
    hasDemo,
    hasProviders,
    providers,
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
  form: { code: string; handle: string; isNew: boolean; passkeys: PasskeyBoxes },
  problem?: FormProblem,
) => ({
  title: form.isNew ? 'Set up your account' : 'Set a new password',
  scripts: form.isNew ? [PASSKEY_SCRIPT] : [],
  ...statusOf(problem),
  body: resetPage({
    action: RESET,
    csrfToken: csrfToken(PURPOSES.reset),
    ...form,
    minLength,
    problem: problem?.sentence,
  }),
})

export const showResetDone = () => ({ title: 'Password changed', body: resetDonePage() })

export const showAccountReady = (joined: readonly { name: string; role: string }[]) => ({
  title: 'Your account is ready',
  body: accountReadyPage(joined),
})

export const showInvitationEnded = (problem: FormProblem) => ({
  title: 'Invitation no longer valid',
  ...statusOf(problem),
  body: invitationEndedPage(problem.sentence),
})

interface AskSignUpView extends Omit<FormView, 'handle'> {
  readonly isOpen: boolean
  readonly email?: string
}

export const showAskSignUp = (csrfToken: FormKey, { problem, ...form }: AskSignUpView) => ({
  title: 'Create account',
  ...statusOf(problem),
  body: askSignUpPage({
    action: SIGN_UP,
    csrfToken: csrfToken(PURPOSES.askSignUp),
    ...form,
    problem: problem?.sentence,
  }),
})

export const showSignUp = (
  csrfToken: FormKey,
  form: { code: string; typed: NewPerson; organisation?: string | undefined },
  problem?: FormProblem,
) => ({
  title: 'Create account',
  ...statusOf(problem),
  body: signUpPage({
    action: SIGN_UP,
    csrfToken: csrfToken(PURPOSES.signUp),
    ...form,
    minLength,
    problem: problem?.sentence,
  }),
})

interface JoinFormView extends FormView {
  readonly isAdmitted: boolean
  readonly email?: string | undefined
}

export const showJoin = (csrfToken: FormKey, target: JoinTarget, { problem, ...form }: JoinFormView) => ({
  title: `Join ${target.name}`,
  ...statusOf(problem),
  body: joinPage({
    action: JOIN,
    csrfToken: csrfToken(PURPOSES.join),
    signIn: withNext(SIGN_IN, joinPath(target.organisation)),
    target,
    ...form,
    problem: problem?.sentence,
  }),
})

export const showJoined = (target: Pick<JoinTarget, 'name'>) => ({ title: target.name, body: joinedPage(target) })

export const showClosed = (problem: FormProblem) => ({
  title: 'Join',
  ...statusOf(problem),
  body: closedPage(problem.sentence),
})

export const showJoinLink = (
  csrfToken: FormKey,
  form: { name: string; link: string; handle?: string | undefined; owner?: string | undefined },
  problem?: FormProblem,
) => ({
  title: `Join ${form.name}`,
  ...statusOf(problem),
  body: joinLinkPage({
    action: JOIN,
    csrfToken: csrfToken(PURPOSES.join),
    signIn: withNext(SIGN_IN, `${SIGN_UP}?${new URLSearchParams({ code: form.link })}`),
    ...form,
    problem: problem?.sentence,
  }),
})
