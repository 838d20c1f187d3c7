import type { Static, TObject } from 'typebox'
import { ACTION_PATHS, type AccountAction } from '../../web/pages/account/account-page.ts'
import { findNotice } from '../../web/pages/account/notices.ts'
import { findPerson, type PersonCaller } from '../caller.ts'
import { fail, PlatformError } from '../errors.ts'
import { Nothing } from '../http/input/fields.ts'
import { type FormProblem, OUTDATED, readProblem } from '../http/pages/form-problem.ts'
import { readNext, withNext } from '../http/pages/next.ts'
import { DoneQuery } from '../http/pages/own-page.ts'
import { formPage, type Page, type PageAnswer, type PageContext, type ShownPage, viewPage } from '../http/pages/page.ts'
import { messagePolicy } from '../messages/messages.ts'
import { readTicked, showPasskeys } from '../passkeys/pages.ts'
import { listPasskeys } from '../passkeys/passkeys.ts'
import { askReset, readReset } from '../people/resets.ts'
import { readSettings } from '../profiles/profiles.ts'
import {
  endEverythingElse,
  endOneBrowser,
  endOneSession,
  listOwnApps,
  listOwnBrowsers,
  renewPassword,
  replaceForgotten,
  signIn,
  signOut,
  withdrawApp,
} from './account.ts'
import {
  NameApp,
  NameBrowser,
  NameSession,
  NextQuery,
  PasswordFields,
  ResetFields,
  ResetQuery,
  SignInFields,
  SignInQuery,
} from './schema.ts'
import {
  HOME,
  PASSWORD,
  PURPOSES,
  RESET,
  SIGN_IN,
  showAccount,
  showAskReset,
  showPassword,
  showReset,
  showSignIn,
} from './shown-pages.ts'

const homeWith = (done: string): PageAnswer => ({ redirect: `${HOME}?done=${done}` })

async function lookAtAccount(context: PageContext, who: PersonCaller, notice?: string): Promise<ShownPage> {
  const { db, csrfToken } = context
  const [apps, browsers, passkeys, settings] = await Promise.all([
    listOwnApps(db, who),
    listOwnBrowsers(db, who),
    showPasskeys(context, who),
    readSettings(db, who),
  ])
  return showAccount(csrfToken, who, { apps, browsers, passkeys, notice, isAdult: settings.userType === 'adult' })
}

/** The person's passkeys, to be ticked. */
const offerPasskeys = async ({ db, who }: PageContext, personId: number, ticked: readonly string[]) => ({
  passkeys: await listPasskeys(db, { personId }),
  now: who.at,
  ticked,
})

async function lookAtPassword(
  context: PageContext,
  { handle, personId }: PersonCaller,
  ticked: readonly string[] = [],
  problem?: FormProblem,
): Promise<ShownPage> {
  const passkeys = await offerPasskeys(context, personId, ticked)
  return showPassword(context.csrfToken, { handle, passkeys }, problem)
}

/** The form for a new password; where the link is worth nothing, the one for another link. */
async function lookAtReset(
  context: PageContext,
  code: string,
  ticked: readonly string[] = [],
  problem?: FormProblem,
): Promise<ShownPage> {
  const { db, who, environment, csrfToken } = context
  try {
    const { handle, personId } = await readReset(db, who, { code }, environment.get(messagePolicy))
    return showReset(csrfToken, { code, handle, passkeys: await offerPasskeys(context, personId, ticked) }, problem)
  } catch (error) {
    return showAskReset(csrfToken, { canSend: environment.get(messagePolicy).isOn, problem: readProblem(error) })
  }
}

function readNewPassword({ new_password: password = '', again = '' }: Static<typeof PasswordFields>): string {
  if (password !== again) throw fail('validationFailed', 'The two new passwords are not the same')
  return password
}

/** A button of the account page. Two clicks on one do what one does. */
const actionPage = <I extends TObject>(
  action: AccountAction,
  {
    input,
    done,
    run,
  }: { input: I; done: string; run(context: PageContext, who: PersonCaller, what: Static<I>): Promise<unknown> },
): Page =>
  formPage({
    name: `accountPage.${action}`,
    path: ACTION_PATHS[action],
    input,
    from: 'body',
    purpose: () => PURPOSES[action],
    run: async (context, what) => {
      const who = findPerson(context.who)
      if (!who) return { redirect: HOME }
      try {
        await run(context, who, what)
        return homeWith(done)
      } catch (error) {
        if (error instanceof PlatformError && error.kind === 'notFound') return homeWith('gone')
        if (error instanceof PlatformError && error.kind === 'notAuthorized') return { redirect: HOME }
        throw error
      }
    },
  })

/** In the address and not in the form, so that no other field of the form is taken from there. */
const nextOf = ({ query }: PageContext['request']): string | undefined =>
  readNext((query as Record<string, unknown>).next)

export const accountPages: readonly Page[] = [
  viewPage({
    name: 'accountPage',
    path: HOME,
    input: DoneQuery,
    run: async (context, { done }) => {
      const who = findPerson(context.who)
      const notice = findNotice(done)
      return who ? lookAtAccount(context, who, notice) : showSignIn(context.csrfToken, { notice })
    },
  }),
  viewPage({
    name: 'signInPage',
    path: SIGN_IN,
    input: SignInQuery,
    run: async (context, { again, ...input }) => {
      const next = readNext(input.next)
      const { person } = context.who
      return person && !again
        ? { redirect: next ?? HOME }
        : showSignIn(context.csrfToken, { next, handle: person?.handle })
    },
  }),
  formPage({
    name: 'signInForm',
    path: SIGN_IN,
    input: SignInFields,
    from: 'body',
    purpose: () => PURPOSES.signIn,
    showAgain: async ({ csrfToken, request }, { handle }) =>
      showSignIn(csrfToken, { next: nextOf(request), handle, problem: OUTDATED }),
    run: async (context, { handle = '', password = '', keep: isKept = false }) => {
      const { db, who, environment, request } = context
      const next = nextOf(request)
      try {
        const browser = await signIn(db, who, { handle, password, isKept }, environment.name)
        return { redirect: next ?? HOME, browser }
      } catch (error) {
        return showSignIn(context.csrfToken, { next, handle, problem: readProblem(error) })
      }
    },
  }),
  formPage({
    name: 'signOutForm',
    path: ACTION_PATHS.signOut,
    input: NextQuery,
    from: 'query',
    purpose: () => PURPOSES.signOut,
    run: async ({ db, who }, input) => {
      const person = findPerson(who)
      if (person) await signOut(db, person)
      return { redirect: readNext(input.next) ?? `${HOME}?done=signed-out`, browser: 'end' }
    },
  }),
  actionPage('endSession', {
    input: NameSession,
    done: 'session-ended',
    run: ({ db }, who, what) => endOneSession(db, who, what),
  }),
  actionPage('endBrowser', {
    input: NameBrowser,
    done: 'browser-ended',
    run: ({ db }, who, what) => endOneBrowser(db, who, what),
  }),
  actionPage('endAll', { input: Nothing, done: 'all-ended', run: ({ db }, who) => endEverythingElse(db, who) }),
  actionPage('withdraw', { input: NameApp, done: 'withdrawn', run: ({ db }, who, what) => withdrawApp(db, who, what) }),
  viewPage({
    name: 'passwordPage',
    path: PASSWORD,
    input: Nothing,
    run: async (context) => {
      const who = findPerson(context.who)
      return who ? lookAtPassword(context, who) : { redirect: withNext(SIGN_IN, PASSWORD) }
    },
  }),
  formPage({
    name: 'passwordForm',
    path: PASSWORD,
    input: PasswordFields,
    from: 'body',
    purpose: () => PURPOSES.password,
    run: async (context, { password = '', ...fields }) => {
      const who = findPerson(context.who)
      if (!who) return { redirect: withNext(SIGN_IN, PASSWORD) }
      const { db, environment } = context
      const removePasskeys = readTicked(fields)
      try {
        const what = { password, newPassword: readNewPassword(fields), removePasskeys }
        const { browser } = await renewPassword(db, who, what, environment.get(messagePolicy))
        return { ...homeWith('password-changed'), browser }
      } catch (error) {
        return lookAtPassword(context, who, removePasskeys, readProblem(error))
      }
    },
  }),
  viewPage({
    name: 'resetPage',
    path: RESET,
    input: ResetQuery,
    run: async (context, { code = '', done }) => {
      if (code !== '') return lookAtReset(context, code)
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
    run: async (context, { handle = '', code = '', ...fields }) => {
      const { db, who, environment } = context
      if (code === '') {
        try {
          if (handle.trim() === '') throw fail('parameterMissing', 'Type your handle')
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
        return { ...homeWith('password-reset'), browser }
      } catch (error) {
        return lookAtReset(context, code, removePasskeys, readProblem(error))
      }
    },
  }),
]
