import { type Static, type TObject, Type } from 'typebox'
import { type AccountSection, accountNavigation } from '../../../web/pages/account/navigation.ts'
import { type Html, html } from '../../../web/pages/html.ts'
import { findPerson, type PersonCaller } from '../../caller.ts'
import { PlatformError } from '../../errors.ts'
import { Text } from '../input/fields.ts'
import { type FormProblem, readProblem } from './form-problem.ts'
import { withNext } from './next.ts'
import {
  type Elsewhere,
  formPage,
  type Page,
  type PageAnswer,
  type PageContext,
  type ShownPage,
  viewPage,
} from './page.ts'

/** What was done just now, told by the page that it leads to. */
export const DoneQuery = Type.Object({
  done: Type.Optional(Text('What was done just now, as one of a few codes', 100)),
})

const SIGN_IN = '/account/signin'

/** Back there once they are signed in. */
export const signInFirst = (next: string): Elsewhere => ({ redirect: withNext(SIGN_IN, next) })

/** Back to a page, which says what was done. */
export const doneAt = (path: string, done: string): Elsewhere => ({
  redirect: `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ done })}`,
})

interface OwnView<I extends TObject> {
  readonly name: string
  readonly path: string
  readonly input: I
  run(context: PageContext, who: PersonCaller, input: Static<I>): Promise<PageAnswer>
}

/** Somebody who was signed in when the request came, and is not any more. */
const orSignInFirst = (next: string) => (error: unknown) => {
  if (error instanceof PlatformError && error.kind === 'notAuthorized') return signInFirst(next)
  throw error
}

/** A page of one's account; whoever is not signed in does that first. */
export const ownView = <I extends TObject>({ run, ...page }: OwnView<I>): Page =>
  viewPage({
    ...page,
    run: async (context, input) => {
      const who = findPerson(context.who)
      const { url } = context.request
      return who ? run(context, who, input).catch(orSignInFirst(url)) : signInFirst(url)
    },
  })

interface OwnForm<I extends TObject> extends OwnView<I> {
  readonly from?: 'body' | 'multipart'
  /** The page that has the form. */
  back(input: Static<I>): string
  /** The page again, with what is wrong and what was typed. */
  showProblem(context: PageContext, who: PersonCaller, input: Static<I>, problem: FormProblem): Promise<PageAnswer>
}

/** A form of such a page. Its key is made for its address. */
export const ownForm = <I extends TObject>({ run, back, showProblem, from = 'body', ...page }: OwnForm<I>): Page =>
  formPage({
    ...page,
    from,
    purpose: () => page.path,
    run: async (context, input) => {
      const who = findPerson(context.who)
      if (!who) return signInFirst(back(input))
      try {
        return await run(context, who, input)
      } catch (error) {
        return showProblem(context, who, input, readProblem(error)).catch(orSignInFirst(back(input)))
      }
    },
  })

export interface OwnFrame {
  readonly section: AccountSection
  readonly title: string
  readonly body: Html
  readonly problem?: FormProblem | undefined
}

/** A page of one's account, with the way to the others above it. */
export const showOwn = ({ userType }: { readonly userType: string }, page: OwnFrame): ShownPage => ({
  title: page.title,
  ...(page.problem ? { status: page.problem.status, headers: page.problem.headers } : {}),
  body: html`${accountNavigation(page.section, { isAdult: userType === 'adult' })}${page.body}`,
})
