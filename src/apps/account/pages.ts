import { listPasskeys } from '../../identity/passkeys/passkeys.ts'
import { readTicked } from '../../identity/passkeys/schema.ts'
import { askReset, readReset } from '../../identity/people/resets.ts'
import { askSignUp, canSignUp, findConfirmedHandle, readSignUp } from '../../identity/people/sign-up.ts'
import { ProviderRequired, providerPath } from '../../kernel/browsers/required.ts'
import { fail } from '../../kernel/errors.ts'
import { parseDate } from '../../kernel/http/input/dates.ts'
import { type FormProblem, OUTDATED, readProblem } from '../../kernel/http/pages/form-problem.ts'
import { readNext } from '../../kernel/http/pages/next.ts'
import { formPage, type Page, type PageContext, type ShownPage, viewPage } from '../../kernel/http/pages/page.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { findNotice } from '../../kernel/pages/account/notices.ts'
import type { NewPerson } from '../../kernel/pages/account/signup-page.ts'
import { listOrganisations } from '../organisations/organisations.ts'
import { listOwnWays } from '../providers/connections.ts'
import { findWay, hasProviders } from '../providers/signin.ts'
import { replaceForgotten, signInAndTell, signUpAndTell } from './account.ts'
import { listDemoPeople } from './demo.ts'
import { ResetFields, ResetQuery, SignInFields, SignInQuery, SignUpFields, SignUpQuery } from './schema.ts'
import {
  HOME,
  PURPOSES,
  RESET,
  SIGN_IN,
  SIGN_UP,
  type SignInView,
  showAccountReady,
  showAskReset,
  showAskSignUp,
  showInvitationEnded,
  showJoinLink,
  showReset,
  showResetDone,
  showSignIn,
  showSignUp,
} from './shown-pages.ts'

/**
 * Shows the form for a new password. If the link is invalid, shows the form to request another link or, for an
 * invitation, whom to ask.
 */
async function lookAtReset(
  context: PageContext,
  { code, isInvitation }: { readonly code: string; readonly isInvitation: boolean },
  ticked: readonly string[] = [],
  problem?: FormProblem,
): Promise<ShownPage> {
  const { db, who, environment, csrfToken } = context
  try {
    const { handle, personId, isNew } = await readReset(db, who, { code, isInvitation }, environment.get(messagePolicy))
    const passkeys = { passkeys: await listPasskeys(db, { personId }), now: who.at, ticked }
    return showReset(csrfToken, { code, handle, isNew, passkeys }, problem)
  } catch (error) {
    if (isInvitation) return showInvitationEnded(readProblem(error))
    return showAskReset(csrfToken, { canSend: environment.get(messagePolicy).isOn, problem: readProblem(error) })
  }
}

/** Lists the organisations that the person of a new account has joined. */
async function listJoined({ db, who }: PageContext): Promise<{ name: string; role: string }[]> {
  if (!who.person) return []
  const { docs } = await listOrganisations(db, { ...who, ...who.person }, { limit: 3 })
  return docs.flatMap(({ name, role }) => (role === null ? [] : [{ name, role }]))
}

interface NewPassword {
  readonly new_password?: string
  readonly again?: string
}

function readNewPassword({ new_password: password = '', again = '' }: NewPassword): string {
  if (password !== again) throw fail('validationFailed', 'The two new passwords are not the same')
  return password
}

/** Reads only `next` from the query, so that a link cannot fill in other form fields. */
const nextOf = ({ query }: PageContext['request']): string | undefined =>
  readNext((query as Record<string, unknown>).next)

/** The page that people see first after signing in: for administrators, the overview of the platform. */
const homeOf = ({ isAdministrator }: { readonly isAdministrator: boolean }): string =>
  isAdministrator ? '/admin' : HOME

const isOpen = ({ environment }: PageContext): boolean => canSignUp(environment.config, environment.get(messagePolicy))

const lookAtSignIn = async (context: PageContext, view: SignInView): Promise<ShownPage> =>
  showSignIn(context.csrfToken, {
    ...view,
    canSignUp: isOpen(context),
    hasDemo: (await listDemoPeople(context.environment)).length > 0,
    hasProviders: await hasProviders(context.db),
    providers: await listOwnWays(context.db, context.who, view.next),
  })

/**
 * Shows the form for a new account or, if the link is invalid, the form to request another link. With a link for
 * joining an organisation, people who have an account join with it.
 */
async function lookAtSignUp(
  context: PageContext,
  code: string,
  typed: NewPerson = {},
  problem?: FormProblem,
): Promise<ShownPage> {
  const { db, who, environment, csrfToken } = context
  try {
    const { email, join } = await readSignUp(db, who, { code }, environment.get(messagePolicy))
    if (!join)
      return isOpen(context)
        ? showSignUp(csrfToken, { code, typed }, problem)
        : showAskSignUp(csrfToken, { isOpen: false })
    const handle = who.person?.handle
    const owner = await findConfirmedHandle(db, email)
    if (handle ?? owner) return showJoinLink(csrfToken, { name: join.name, link: code, handle, owner })
    return showSignUp(csrfToken, { code, typed, organisation: join.name }, problem)
  } catch (error) {
    return showAskSignUp(csrfToken, { isOpen: isOpen(context), problem: readProblem(error) })
  }
}

function readBirth(text: string): string {
  const born = parseDate(text.trim())
  if (!born) throw fail('validationFailed', 'Type the date of birth as year, month and day, such as 1999-04-02')
  return born.toISOString()
}

/** The pages for signing in, and those that links in e-mails open. They work without JavaScript. */
export const accountPages: readonly Page[] = [
  viewPage({
    name: 'signInPage',
    path: SIGN_IN,
    input: SignInQuery,
    run: async (context, { again, done, ...input }) => {
      const next = readNext(input.next)
      const { person } = context.who
      return person && !again
        ? { redirect: next ?? homeOf(person) }
        : lookAtSignIn(context, { next, handle: person?.isTest ? undefined : person?.handle, notice: findNotice(done) })
    },
  }),
  formPage({
    name: 'signInForm',
    path: SIGN_IN,
    input: SignInFields,
    from: 'body',
    purpose: () => PURPOSES.signIn,
    showAgain: async (context, { handle }) =>
      lookAtSignIn(context, { next: nextOf(context.request), handle, problem: OUTDATED }),
    run: async (context, { handle = '', password = '', keep: isKept = false, way }) => {
      const { db, who, environment, request } = context
      const next = nextOf(request)
      try {
        const typed = { typed: handle, isAsked: way === 'organisation', next, isKept }
        const redirect = await findWay(context, typed)
        if (redirect !== undefined) return { redirect }
        const person = await signInAndTell(db, who, { handle, password, isKept }, environment.name)
        return { redirect: next ?? homeOf(person), browser: person.browser }
      } catch (error) {
        if (error instanceof ProviderRequired)
          return { redirect: providerPath(environment, who, error, { next, isKept }) }
        return lookAtSignIn(context, { next, handle, problem: readProblem(error) })
      }
    },
  }),
  viewPage({
    name: 'resetPage',
    path: RESET,
    input: ResetQuery,
    run: async (context, { code = '', invitation, done }) => {
      if (code !== '') return lookAtReset(context, { code, isInvitation: invitation === 'true' })
      if (done === 'password-reset') return showResetDone()
      if (done === 'account-ready') return showAccountReady(await listJoined(context))
      return showAskReset(context.csrfToken, {
        canSend: context.environment.get(messagePolicy).isOn,
        notice: findNotice(done),
      })
    },
  }),
  formPage({
    name: 'resetForm',
    path: RESET,
    input: ResetFields,
    from: 'body',
    purpose: ({ code = '' }) => (code === '' ? PURPOSES.askReset : PURPOSES.reset),
    run: async (context, { handle = '', code = '', invitation, ...fields }) => {
      const { db, who, environment } = context
      const isInvitation = invitation === 'true'
      if (code === '') {
        try {
          if (handle.trim() === '') throw fail('parameterMissing', 'Type your handle or e-mail address')
          await askReset(db, who, { handle }, environment.get(messagePolicy))
          return { redirect: `${RESET}?done=link-asked` }
        } catch (error) {
          return showAskReset(context.csrfToken, {
            canSend: environment.get(messagePolicy).isOn,
            handle,
            problem: readProblem(error),
          })
        }
      }
      const removePasskeys = readTicked(fields)
      try {
        const what = { code, password: readNewPassword(fields), removePasskeys }
        const { browser } = await replaceForgotten(db, who, what, environment.get(messagePolicy))
        return { redirect: `${RESET}?done=${isInvitation ? 'account-ready' : 'password-reset'}`, browser }
      } catch (error) {
        if (error instanceof ProviderRequired) return { redirect: providerPath(environment, who, error) }
        return lookAtReset(context, { code, isInvitation }, removePasskeys, readProblem(error))
      }
    },
  }),
  viewPage({
    name: 'signUpPage',
    path: SIGN_UP,
    input: SignUpQuery,
    run: async (context, { code = '', done }) =>
      code === ''
        ? showAskSignUp(context.csrfToken, { isOpen: isOpen(context), notice: findNotice(done) })
        : lookAtSignUp(context, code),
  }),
  formPage({
    name: 'signUpForm',
    path: SIGN_UP,
    input: SignUpFields,
    from: 'body',
    purpose: ({ code = '' }) => (code === '' ? PURPOSES.askSignUp : PURPOSES.signUp),
    run: async (context, { email = '', code = '', ...fields }) => {
      const { db, who, environment, csrfToken } = context
      const messages = environment.get(messagePolicy)
      if (code === '') {
        try {
          if (email.trim() === '') throw fail('parameterMissing', 'Type your e-mail address')
          await askSignUp(db, who, { email }, environment.config, messages)
          return { redirect: `${SIGN_UP}?done=sign-up-asked` }
        } catch (error) {
          return showAskSignUp(csrfToken, { isOpen: isOpen(context), email, problem: readProblem(error) })
        }
      }
      const { handle = '', firstName = '', lastName = '', dateOfBirth = '' } = fields
      const typed = { handle, firstName, lastName, dateOfBirth }
      try {
        const password = readNewPassword(fields)
        const what = { code, ...typed, handle: handle.trim(), dateOfBirth: readBirth(dateOfBirth), password }
        const { browser } = await signUpAndTell(db, who, what, environment.config, messages)
        return { redirect: HOME, browser }
      } catch (error) {
        if (error instanceof ProviderRequired) return { redirect: providerPath(environment, who, error) }
        return lookAtSignUp(context, code, typed, readProblem(error))
      }
    },
  }),
]
