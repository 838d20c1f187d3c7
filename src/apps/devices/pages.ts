import { findPerson, type PersonCaller } from '../../kernel/caller.ts'
import { type FormProblem, readProblem } from '../../kernel/http/pages/form-problem.ts'
import { withNext } from '../../kernel/http/pages/next.ts'
import {
  formPage,
  type Page,
  type PageContext,
  type PageRedirect,
  type ShownPage,
  viewPage,
} from '../../kernel/http/pages/page.ts'
import { codePage, decidedPage, decisionPage } from '../../kernel/pages/devices/device-pages.ts'
import { USER_CODE } from '../../kernel/samples.ts'
import { showScopes } from '../../kernel/scopes.ts'
import { allowDevice, checkUserCode, denyDevice, readDevice, showUserCode } from './devices.ts'
import { Decided, Decision, UserCode } from './schema.ts'

const CODE = '/device'
const DECISION = '/device/decision'
const DECIDED = '/device/decided'

const CODE_PURPOSE = 'device.code'
/**
 * The purpose of CSRF tokens. It contains the code, so that a form for one device cannot be submitted for another, and
 * the scopes that the page lists, so that a form allows no others.
 */
const decisionPurpose = (userCode: string, shown: string): string => `device.decision ${userCode} ${shown}`

const ASKS_ANEW = 'The app has changed what it asks for. Choose again.'

const showCode = ({ csrfToken }: PageContext, userCode: string, problem?: FormProblem): ShownPage => ({
  title: 'Connect a device',
  ...(problem ? { status: problem.status, headers: problem.headers } : {}),
  body: codePage({ action: CODE, csrfToken: csrfToken(CODE_PURPOSE), userCode, problem: problem?.sentence }),
})

async function showDecision(
  { db, csrfToken }: PageContext,
  who: PersonCaller,
  userCode: string,
  problem?: string,
): Promise<ShownPage> {
  const { app, scopes } = await readDevice(db, who, { userCode })
  const shown = showScopes(scopes.asked)
  const frame = { action: DECISION, csrfToken: csrfToken(decisionPurpose(userCode, shown)) }
  return {
    title: `Allow ${app.name}?`,
    ...(problem !== undefined && { status: 403 }),
    body: decisionPage({ ...frame, app, handle: who.handle, userCode, scopes, shown, problem }),
  }
}

/** Redirects to the sign-in page, which redirects back to this page with the code. */
const signInFirst = (userCode: string): PageRedirect => ({
  redirect: withNext('/account/signin', `${CODE}?${new URLSearchParams({ user_code: userCode })}`),
})

export const devicePages: readonly Page[] = [
  viewPage({
    name: 'devicePage',
    path: CODE,
    summary: 'Open the device page',
    description: 'Shows the page where a user enters the code from a device, and allows or denies it (RFC 8628).',
    leadsTo: 'the sign-in page',
    example: { request: { user_code: USER_CODE }, fill: { user_code: 'The code that your device shows' } },
    input: UserCode,
    // A code in the URL is only filled in: a person who followed a link must still submit the form.
    run: async (context, { user_code: userCode = '' }) => showCode(context, userCode),
  }),
  formPage({
    name: 'deviceForm',
    path: CODE,
    summary: 'Send the device form',
    description: 'Takes the code from a device, and returns the page where the user allows or denies it.',
    leadsTo: 'the sign-in page if the user is not signed in',
    input: UserCode,
    from: 'body',
    purpose: () => CODE_PURPOSE,
    run: async (context, { user_code: typed = '' }) => {
      try {
        const shown = showUserCode(checkUserCode(typed))
        const who = findPerson(context.who)
        if (!who) return signInFirst(shown)
        return await showDecision(context, who, shown)
      } catch (error) {
        return showCode(context, typed, readProblem(error))
      }
    },
  }),
  formPage({
    name: 'deviceDecision',
    path: DECISION,
    input: Decision,
    from: 'body',
    purpose: ({ user_code: userCode = '', shown = '' }) => decisionPurpose(userCode, shown),
    run: async (context, { user_code: userCode = '', shown, decision }) => {
      const who = findPerson(context.who)
      if (!who) return signInFirst(userCode)
      try {
        if (decision === 'deny') await denyDevice(context.db, who, { userCode })
        else if (!(await allowDevice(context.db, who, { userCode, shown })))
          return await showDecision(context, who, userCode, ASKS_ANEW)
        return { redirect: `${DECIDED}?decision=${decision}` }
      } catch (error) {
        return showCode(context, '', readProblem(error))
      }
    },
  }),
  viewPage({
    name: 'deviceDecidedPage',
    path: DECIDED,
    input: Decided,
    run: async (_context, { decision }) => ({
      title: 'Go back to your device',
      body: decidedPage({ isAllowed: decision === 'allow' }),
    }),
  }),
]
