import type { Static, TObject } from 'typebox'
import type { OpenedBrowser } from '../../browsers/browsers.ts'
import type { Visitor } from '../../caller.ts'
import type { Db } from '../../database/database.ts'
import type { Environment } from '../../environment.ts'
import type { Html } from '../../pages/html.ts'
import type { Source } from '../input/fields.ts'
import type { Example } from '../operation.ts'
import type { HttpRequest } from '../request.ts'

/** Everything that a page receives besides its input. */
export interface PageContext {
  readonly db: Db
  readonly who: Visitor
  readonly environment: Environment
  readonly request: HttpRequest
  /** The hidden token of a form on this page. The page that receives the form names the same purpose. */
  csrfToken(purpose: string): string
}

interface PageAnswerBase {
  readonly headers?: Readonly<Record<string, string>>
  /** Set if a person signed in or out, which changes the cookie. */
  readonly browser?: OpenedBrowser | 'end'
  /** The handle of a person who signed in with this request, for the page header. */
  readonly handle?: string
}

export interface ShownPage extends PageAnswerBase {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /**
   * Whether a form of this page leads to an app. Chromium applies `form-action` to every redirect after a form,
   * including those that the app makes after its redirect URI, to its other hosts or its own scheme. These cannot be
   * listed, so such a page has no `form-action`.
   */
  readonly leadsToApp?: boolean
  /** Paths of our own scripts. The page must work without them. */
  readonly scripts?: readonly string[]
}

export interface PageRedirect extends PageAnswerBase {
  readonly redirect: string
}

export type PageAnswer = ShownPage | PageRedirect

interface PageDeclaration<Input extends TObject> {
  readonly name: string
  readonly path: string
  readonly input: Input
  /** Describes the page to app developers who send people there. Other pages are only reached by links. */
  readonly about?: string
  /** A request that works with the demo data. */
  readonly example?: Pick<Example, 'request' | 'fill' | 'after'>
  run(context: PageContext, input: Static<Input>): Promise<PageAnswer>
}

/** A page that is only displayed. */
export interface ViewPage<Input extends TObject = TObject> extends PageDeclaration<Input> {
  readonly method: 'GET'
}

/** A page that receives a form. It is refused if the CSRF token is missing or was made for another purpose. */
export interface FormPage<Input extends TObject = TObject> extends PageDeclaration<Input> {
  readonly method: 'POST'
  readonly from: Source
  purpose(input: Static<Input>, request: HttpRequest): string
  /**
   * Shown instead of an error if the CSRF token does not match, because the person signed in or out in another tab. The
   * form has had no effect.
   */
  showAgain?(context: PageContext, input: Static<Input>): Promise<PageAnswer>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of pages has as many input types as members
export type Page = ViewPage<any> | FormPage<any>

export const viewPage = <I extends TObject>(page: Omit<ViewPage<I>, 'method'>): Page => ({ ...page, method: 'GET' })
export const formPage = <I extends TObject>(page: Omit<FormPage<I>, 'method'>): Page => ({ ...page, method: 'POST' })
