import type { Static, TObject } from 'typebox'
import type { OpenedBrowser } from '../../browsers/browsers.ts'
import type { Visitor } from '../../caller.ts'
import type { Db } from '../../database/database.ts'
import type { Environment } from '../../environment.ts'
import type { Html } from '../../pages/html.ts'
import type { Source } from '../input/fields.ts'
import type { Example } from '../operation.ts'
import type { HttpRequest } from '../request.ts'

/** Everything that a page receives in addition to its input. */
export interface PageContext {
  readonly db: Db
  readonly who: Visitor
  readonly environment: Environment
  readonly request: HttpRequest
  /** Returns the CSRF token for a form on this page. The page that receives the form must declare the same purpose. */
  csrfToken(purpose: string): string
  /** The purpose of the form that was submitted, which its CSRF token has proved. */
  readonly purpose?: string
}

interface PageAnswerBase {
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Set if the person signed in or out (`end`), which changes the cookie. With `keep`, the response sets no cookie even
   * if the request had none: browsers send none with a form of another site, and must not lose the one that they have.
   */
  readonly browser?: OpenedBrowser | 'end' | 'keep'
  /** Handle of a person who signed in with this request, for the page header. */
  readonly handle?: string
}

export interface ShownPage extends PageAnswerBase {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /**
   * True if a form of this page leads to an app, or to the provider of an organisation. Chromium applies `form-action`
   * to every redirect after a form, including later redirects by the app to its other hosts or its own scheme. Those
   * targets cannot be listed, so such a page has no `form-action`.
   */
  readonly leadsToApp?: boolean
  /** Paths of scripts of this platform. The page must also work without them. */
  readonly scripts?: readonly string[]
}

export interface PageRedirect extends PageAnswerBase {
  readonly redirect: string
}

export type PageAnswer = ShownPage | PageRedirect

interface PageDeclaration<Input extends TObject> {
  readonly name: string
  /** May contain `{names}` of input fields. */
  readonly path: string
  readonly input: Input
  /**
   * Name in OpenAPI, for app developers who send users to this page or whose tools fill in its form. Pages without it
   * are only reached by links and are not described.
   */
  readonly summary?: string
  /** One sentence for OpenAPI, which adds what is common to all pages. */
  readonly description?: string
  /** The target of the redirects with which this page responds, if it is described in OpenAPI. */
  readonly leadsTo?: string
  /** An example request that works with the demo data. */
  readonly example?: Pick<Example, 'request' | 'fill' | 'after'>
  run(context: PageContext, input: Static<Input>): Promise<PageAnswer>
}

/** A page that is shown in response to GET and receives no form. */
export interface ViewPage<Input extends TObject = TObject> extends PageDeclaration<Input> {
  readonly method: 'GET'
}

/** A page that receives a form. The form is refused if its CSRF token is missing or was created for another purpose. */
export interface FormPage<Input extends TObject = TObject> extends PageDeclaration<Input> {
  readonly method: 'POST'
  readonly from: Source
  /**
   * Purpose of the CSRF token. A form without one can be sent from anywhere: its fields alone prove who may send it.
   */
  purpose?(input: Static<Input>, context: PageContext): string | Promise<string>
  /**
   * Returns where a POST without a CSRF token leads, if other sites may send people here with it; undefined if this
   * input is not such a request. The cookies are not read.
   */
  findTarget?(input: Static<Input>, request: HttpRequest): string | undefined
  /**
   * Returns the page to show instead of an error if the CSRF token does not match, because the person signed in or out
   * in another tab. The submitted form has no effect.
   */
  showAgain?(context: PageContext, input: Static<Input>): Promise<PageAnswer>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of pages has as many input types as members
export type Page = ViewPage<any> | FormPage<any>

export const viewPage = <I extends TObject>(page: Omit<ViewPage<I>, 'method'>): Page => ({ ...page, method: 'GET' })
export const formPage = <I extends TObject>(page: Omit<FormPage<I>, 'method'>): Page => ({ ...page, method: 'POST' })
