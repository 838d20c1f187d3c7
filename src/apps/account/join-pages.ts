import { readSignUp } from '../../identity/people/sign-up.ts'
import { findPerson } from '../../kernel/caller.ts'
import { fail } from '../../kernel/errors.ts'
import { type FormProblem, readProblem } from '../../kernel/http/pages/form-problem.ts'
import { formPage, type Page, type PageContext, type ShownPage, viewPage } from '../../kernel/http/pages/page.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { findNotice } from '../../kernel/pages/account/notices.ts'
import { askToJoin, JOIN, joinOrganisation, joinPath, readJoin } from '../organisations/sign-up.ts'
import { joinAsMember } from './account.ts'
import { JoinFields, JoinQuery } from './schema.ts'
import { PURPOSES, showClosed, showJoin, showJoined, showJoinLink } from './shown-pages.ts'

/** Shows the form for joining or, if the organisation is closed, says so. Members see that they are members. */
async function lookAtJoin(
  { db, who, csrfToken }: PageContext,
  organisation: string,
  form: { email?: string; notice?: string | undefined; problem?: FormProblem } = {},
): Promise<ShownPage> {
  try {
    const { isMember, isAdmitted, ...target } = await readJoin(db, { personId: who.person?.personId }, { organisation })
    if (isMember) return showJoined(target)
    return showJoin(csrfToken, target, { handle: who.person?.handle, isAdmitted, ...form })
  } catch (error) {
    return showClosed(form.problem ?? readProblem(error))
  }
}

/** Shows the form of a link to a person who is signed in, with the error of the last attempt. */
async function lookAtLink(context: PageContext, link: string, problem: FormProblem): Promise<ShownPage> {
  const { db, who, environment, csrfToken } = context
  const found = await readSignUp(db, who, { code: link }, environment.get(messagePolicy)).catch(() => undefined)
  if (!found?.join) return showClosed(problem)
  return showJoinLink(csrfToken, { name: found.join.name, link, handle: who.person?.handle }, problem)
}

/** The page on which people join an organisation that is open for sign-up. It works without JavaScript. */
export const joinPages: readonly Page[] = [
  viewPage({
    name: 'joinPage',
    path: JOIN,
    input: JoinQuery,
    run: (context, { organisation = '', done }) => lookAtJoin(context, organisation, { notice: findNotice(done) }),
  }),
  formPage({
    name: 'joinForm',
    path: JOIN,
    input: JoinFields,
    from: 'body',
    purpose: () => PURPOSES.join,
    run: async (context, { organisation = '', email, organisationCode: code = '', link = '' }) => {
      const { db, who, environment } = context
      const messages = environment.get(messagePolicy)
      const person = findPerson(who)
      try {
        if (link !== '') {
          if (!person) throw fail('notAuthorized', 'You were signed out; sign in, then open the link again')
          const joined = await joinAsMember(db, person, { code: link }, messages)
          return { redirect: joinPath(joined.organisation) }
        }
        if (email === undefined) {
          if (!person) throw fail('notAuthorized', 'You were signed out; sign in again')
          await joinOrganisation(db, person, { organisation, code })
          return { redirect: joinPath(organisation) }
        }
        if (email.trim() === '') throw fail('parameterMissing', 'Type your e-mail address')
        await askToJoin(db, who, { organisation, email, code }, environment.config, messages)
        return { redirect: `${joinPath(organisation)}&done=join-asked` }
      } catch (error) {
        const problem = readProblem(error)
        if (link !== '') return lookAtLink(context, link, problem)
        return lookAtJoin(context, organisation, { ...(email !== undefined && { email }), problem })
      }
    },
  }),
]
