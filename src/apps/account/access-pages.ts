import { findPerson, type PersonCaller } from '../../kernel/caller.ts'
import { type FormProblem, readProblem } from '../../kernel/http/pages/form-problem.ts'
import { withNext } from '../../kernel/http/pages/next.ts'
import { formPage, type Page, type PageContext, type ShownPage, viewPage } from '../../kernel/http/pages/page.ts'
import { accessPage } from '../../kernel/pages/account/access-page.ts'
import { findNotice } from '../../kernel/pages/account/notices.ts'
import { listOwnApps, withdrawAppScopes } from './account.ts'
import { AccessFields, AccessQuery } from './schema.ts'
import { SIGN_IN } from './shown-pages.ts'

const ACCESS = '/account/apps'

/** The purpose of CSRF tokens. It contains the app, so that a form for one app cannot be submitted for another. */
const purposeOf = (clientId: string): string => `account.access ${clientId}`

async function lookAtAccess(
  { db, csrfToken }: PageContext,
  who: PersonCaller,
  { notice, problem }: { notice?: string | undefined; problem?: FormProblem } = {},
): Promise<ShownPage> {
  const apps = (await listOwnApps(db, who)).filter(({ allowedDate }) => allowedDate !== null)
  return {
    title: 'What your apps can do',
    ...(problem && { status: problem.status, headers: problem.headers }),
    body: accessPage({
      apps: apps.map(({ clientId, name, scopes }) => ({
        clientId,
        name,
        scopes,
        form: { action: ACCESS, csrfToken: csrfToken(purposeOf(clientId)) },
      })),
      notice,
      problem: problem?.sentence,
    }),
  }
}

const signInFirst = { redirect: withNext(SIGN_IN, ACCESS) }

/** The page on which people see what their apps can do, and withdraw it. It works without JavaScript. */
export const accessPages: readonly Page[] = [
  viewPage({
    name: 'appAccessPage',
    path: ACCESS,
    input: AccessQuery,
    run: async (context, { done }) => {
      const who = findPerson(context.who)
      return who ? lookAtAccess(context, who, { notice: findNotice(done) }) : signInFirst
    },
  }),
  formPage({
    name: 'appAccessForm',
    path: ACCESS,
    input: AccessFields,
    from: 'body',
    purpose: ({ clientId = '' }) => purposeOf(clientId),
    run: async (context, { clientId = '', scope = '' }) => {
      const who = findPerson(context.who)
      if (!who) return signInFirst
      try {
        await withdrawAppScopes(context.db, who, { clientId, scopes: [scope] })
        return { redirect: `${ACCESS}?done=access-removed` }
      } catch (error) {
        return lookAtAccess(context, who, { problem: readProblem(error) })
      }
    },
  }),
]
