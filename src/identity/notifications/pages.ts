import { Type } from 'typebox'
import { Id } from '../../kernel/http/input/fields.ts'
import { formPage, type Page, type ShownPage, viewPage } from '../../kernel/http/pages/page.ts'
import { html } from '../../kernel/pages/html.ts'
import { nameOf, readToken, type Unsubscribed, unsubscribe, unsubscribeLinks } from './unsubscribe.ts'

const PATH = '/account/unsubscribe'
const SETTINGS = html`<p class="quiet"><a href="/account/notifications">All notification settings</a></p>`
const Token = Type.Object({ token: Id('Token of the link in the e-mail', 500) })

const ask = (token: string, what: Unsubscribed): ShownPage => ({
  title: 'Unsubscribe',
  body: html`<section class="card">
<h1>Unsubscribe</h1>
<p>Stop e-mails about: ${nameOf(what)}. You still get them in your notifications.</p>
<form method="post" action="${PATH}?token=${token}">
<div class="buttons"><button>Unsubscribe</button></div>
</form>
${SETTINGS}
</section>`,
})

const done = (what: Unsubscribed): ShownPage => ({
  title: 'Unsubscribed',
  body: html`<section class="card">
<h1>Unsubscribed</h1>
<p role="status">You no longer get e-mails about: ${nameOf(what)}.</p>
${SETTINGS}
</section>`,
})

/** Opening the link changes nothing, because mail programs open links in advance. The button and the header do. */
export const unsubscribePages: readonly Page[] = [
  viewPage({
    name: 'askToUnsubscribe',
    path: PATH,
    input: Token,
    run: async ({ environment }, { token }) => ask(token, readToken(environment.get(unsubscribeLinks), token).what),
  }),
  formPage({
    name: 'unsubscribe',
    path: PATH,
    input: Token,
    // Mail programs send a form that says nothing new, of either media type (RFC 8058 §3.2).
    from: 'query',
    run: async ({ db, environment }, { token }) =>
      done(await unsubscribe(db, environment.get(unsubscribeLinks), token)),
  }),
]
