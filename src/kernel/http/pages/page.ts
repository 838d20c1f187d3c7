import type { Static, TObject } from 'typebox'
import type { OpenedBrowser } from '../../browsers/browsers.ts'
import type { Visitor } from '../../caller.ts'
import type { Db } from '../../database/database.ts'
import type { Environment } from '../../environment.ts'
import type { Html } from '../../pages/html.ts'
import type { Source } from '../input/fields.ts'
import type { Example } from '../operation.ts'
import type { HttpRequest } from '../request.ts'

/** What a page is given beside its input. */
export interface PageContext {
  readonly db: Db
  readonly who: Visitor
  readonly environment: Environment
  readonly request: HttpRequest
  /** The hidden token of a form that this page shows; the page that takes the form names the same purpose. */
  csrfToken(purpose: string): string
}

interface Common {
  readonly headers?: Readonly<Record<string, string>>
  /** A person signed in or out: the cookie changes. */
  readonly browser?: OpenedBrowser | 'end'
  /** Of whoever signed in with this very request, for the line at the top. */
  readonly handle?: string
}

export interface ShownPage extends Common {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /**
   * A form of this page ends at an app. Chromium holds every redirect after a form to `form-action`, also those that the app makes behind its redirect URI, to its
   * other hosts or to its own scheme; nobody can list these, so such a page goes without.
   */
  readonly leadsToApp?: boolean
  /** Paths of scripts of ours. A page works without them. */
  readonly scripts?: readonly string[]
}

export interface Elsewhere extends Common {
  readonly redirect: string
}

type PageAnswer = ShownPage | Elsewhere

interface Described<Input extends TObject> {
  readonly name: string
  readonly path: string
  readonly input: Input
  /** What it is, for whoever writes an app that leads there; others find their way by links. */
  readonly about?: string
  /** An address of it that works with the demo data. */
  readonly example?: Pick<Example, 'request' | 'fill' | 'after'>
  run(context: PageContext, input: Static<Input>): Promise<PageAnswer>
}

/** A page that is looked at. */
export interface ViewPage<Input extends TObject = TObject> extends Described<Input> {
  readonly method: 'GET'
}

/** A form that was filled in: without its token, or with one that was made for another purpose, it is refused. */
export interface FormPage<Input extends TObject = TObject> extends Described<Input> {
  readonly method: 'POST'
  readonly from: Source
  purpose(input: Static<Input>, request: HttpRequest): string
  /** Shown in place of the refusal where the token is not the right one: somebody signed in or out in another tab meanwhile. Nothing has been done with the form. */
  showAgain?(context: PageContext, input: Static<Input>): Promise<ShownPage | Elsewhere>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of pages has as many input types as members
export type Page = ViewPage<any> | FormPage<any>

export const viewPage = <I extends TObject>(page: Omit<ViewPage<I>, 'method'>): Page => ({ ...page, method: 'GET' })
export const formPage = <I extends TObject>(page: Omit<FormPage<I>, 'method'>): Page => ({ ...page, method: 'POST' })
