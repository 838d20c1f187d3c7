import { type KeyOf, textField } from '../fields.ts'
import { type Html, html, nameOf } from '../html.ts'
import { alertBox, noticeBox, postForm } from '../layout.ts'

export interface Known {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

export type ListName = 'friends' | 'received' | 'sent' | 'blocked'
export type Verb = 'request' | 'accept' | 'decline' | 'cancel' | 'remove' | 'block' | 'unblock'

/** Whose friends are looked at. */
export interface Circle {
  /** Where their page is; the forms go to addresses below. */
  readonly base: string
  /** A child for whom a parent decides; nobody: one's own. */
  readonly child?: { readonly handle: string; readonly name: string } | undefined
  /** Whether requests can be made and answered here, and blocks ended: a child's own page cannot. */
  readonly canAsk: boolean
}

/** The name, and the handle where it says more. */
export function showPerson({ handle, firstName, lastName }: Known): Html {
  const name = fullName({ handle, firstName, lastName })
  return name === handle ? nameOf(handle) : html`${nameOf(name)} <span class="quiet-text">${nameOf(handle)}</span>`
}

export const fullName = ({ handle, firstName, lastName }: Known): string => `${firstName} ${lastName}`.trim() || handle

/** An address of this circle. */
export function circlePath(
  { base, child }: Circle,
  rest: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams({ ...(child ? { handle: child.handle } : {}), ...query })
  return `${base}${rest}${search.size > 0 ? `?${search}` : ''}`
}

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

/** A form that does one thing for this circle. */
export const verbForm = (circle: Circle, keyOf: KeyOf, verb: Verb, body: Html): Html =>
  postForm(
    { action: `${circle.base}/${verb}`, csrfToken: keyOf(`${circle.base}/${verb}`) },
    html`${circle.child && hidden('handle', circle.child.handle)}${body}`,
  )

/** A button for one person; those who hear the page are told for whom. */
const verbButton = (circle: Circle, keyOf: KeyOf, verb: Verb, text: string, known: Known, isFirst = false): Html =>
  verbForm(
    circle,
    keyOf,
    verb,
    html`${hidden('friend', known.handle)}<button class="${isFirst ? '' : 'other '}small" aria-label="${text} ${known.handle}">${text}</button>`,
  )

/** What cannot be undone easily is asked once more, on a page of its own. */
const askFirst = (circle: Circle, verb: 'remove' | 'block', text: string, { handle }: Known): Html =>
  html`<a href="${circlePath(circle, `/${verb}`, { friend: handle })}" aria-label="${text} ${handle}">${text}</a>`

/** What can be done with somebody of each list. */
export function showRow(list: ListName, known: Known, circle: Circle, keyOf: KeyOf): Html {
  const button = (verb: Verb, text: string, isFirst = false) => verbButton(circle, keyOf, verb, text, known, isFirst)
  const block = () => askFirst(circle, 'block', 'Block', known)
  const actions: Record<ListName, () => Html> = {
    friends: () => html`${askFirst(circle, 'remove', 'Remove', known)}${block()}`,
    received: () =>
      html`${circle.canAsk && html`${button('accept', 'Accept', true)}${button('decline', 'Decline')}`}${block()}`,
    sent: () => html`${button('cancel', 'Cancel')}${block()}`,
    blocked: () => html`${circle.canAsk && button('unblock', 'Unblock')}`,
  }
  return html`<li>
<div><p>${showPerson(known)}</p></div>
<div class="actions">${actions[list]()}</div>
</li>`
}

const HEADINGS: Readonly<Record<ListName, string>> = {
  received: 'Requests to answer',
  friends: 'Friends',
  sent: 'Requests without an answer yet',
  blocked: 'Blocked',
}
const EMPTY: Readonly<Record<ListName, string>> = {
  received: 'None.',
  friends: 'None yet.',
  sent: 'None.',
  blocked: 'Nobody.',
}

export interface FriendsPage {
  readonly circle: Circle
  readonly lists: Readonly<Record<ListName, readonly Known[]>>
  readonly keyOf: KeyOf
  /** Of each list this many at first; a page of its own has the rest. */
  readonly most: number
  readonly notice?: string | undefined
  readonly problem?: string | undefined
  /** The handle that was asked for in vain. */
  readonly typed?: string | undefined
}

/** Friends, requests and blocks. */
export function friendsPage({ circle, lists, keyOf, most, notice, problem, typed }: FriendsPage): Html {
  const { child, canAsk } = circle
  const list = (name: ListName, about?: Html, isShownEmpty = true) => {
    const all = lists[name]
    if (all.length === 0 && !isShownEmpty) return undefined
    return html`<section class="card wide" aria-labelledby="${name}">
<h2 id="${name}">${HEADINGS[name]}${all.length > 0 && html` (${all.length})`}</h2>
${about}
${
  all.length === 0
    ? html`<p class="quiet">${EMPTY[name]}</p>`
    : html`<ul class="rows">${all.slice(0, most).map((known) => showRow(name, known, circle, keyOf))}</ul>`
}
${all.length > most && html`<p><a href="${circlePath(circle, '', { list: name })}">All ${all.length}</a></p>`}
${name === 'blocked' && blockForm(circle)}${name === 'blocked' && canAsk && unblockForm(circle, keyOf)}
</section>`
  }
  const whose = child ? nameOf(child.name) : 'you'
  return html`<section class="card wide">
<h1>${child ? html`Friends of ${nameOf(child.name)}` : 'Friends'}</h1>
${noticeBox(notice)}
${alertBox(problem)}
<p class="quiet">Friends stay friends in every app. Whoever is a friend sees ${child ? html`the profile of ${nameOf(child.name)}` : 'your profile'} in the apps that both use.</p>
${
  canAsk
    ? verbForm(
        circle,
        keyOf,
        'request',
        html`${textField({ id: 'friend', name: 'friend', label: child ? 'Ask somebody, by their handle' : 'Ask somebody to be your friend, by their handle', value: typed ?? '', maxLength: 100, isVerbatim: true, isRequired: true, isFirst: problem !== undefined && typed !== undefined, hint: 'They can be asked if they let others find them.' })}
<div class="buttons"><button>Ask</button></div>`,
      )
    : html`<p>A parent asks and answers for you until you are 13, and ends blocks. You can always cancel, remove and block by yourself.</p>`
}
${child && html`<p class="quiet"><a href="/account/children/child?${String(new URLSearchParams({ handle: child.handle }))}">Back to ${nameOf(child.name)}</a></p>`}
</section>
${list('received', html`<p class="quiet">Whoever is declined is not told, and is not heard again for 30 days.</p>`, false)}
${list('friends')}
${list('sent', undefined, false)}
${list('blocked', html`<p class="quiet">Blocked people find ${whose} in no search and can ask for nothing. They are not told. Whoever was not to be found when they were blocked is not listed here, and is blocked all the same.</p>`)}`
}

/** Leads to the question, so it is a form that asks for a page. */
const blockForm = (circle: Circle): Html => html`<details>
<summary>Block somebody by their handle</summary>
<form method="get" action="${circle.base}/block">
${circle.child && hidden('handle', circle.child.handle)}
${textField({ id: 'block', name: 'friend', label: 'Handle', maxLength: 100, isVerbatim: true, isRequired: true })}
<div class="buttons"><button class="other">Block</button></div>
</form>
</details>`

/** For blocks that no list shows. */
const unblockForm = (circle: Circle, keyOf: KeyOf): Html => html`<details>
<summary>End a block that is not listed</summary>
${verbForm(
  circle,
  keyOf,
  'unblock',
  html`${textField({ id: 'unblock', name: 'friend', label: 'Handle to unblock', maxLength: 100, isVerbatim: true, isRequired: true })}
<div class="buttons"><button class="other">Unblock</button></div>`,
)}
</details>`

export interface ListPage {
  readonly circle: Circle
  readonly list: ListName
  readonly shown: readonly Known[]
  readonly keyOf: KeyOf
  readonly page: number
  readonly pages: number
}

/** One list that is too long to be shown with the others. */
export const listPage = ({ circle, list, shown, keyOf, page, pages }: ListPage): Html => {
  const leadTo = (number: number, text: string) =>
    html`<a href="${circlePath(circle, '', { list, page: String(number) })}">${text}</a>`
  return html`<section class="card wide">
<h1>${HEADINGS[list]}${circle.child && html` of ${nameOf(circle.child.name)}`}</h1>
<p class="quiet"><a href="${circlePath(circle, '')}">Back to all lists</a></p>
${shown.length === 0 ? html`<p>${EMPTY[list]}</p>` : html`<ul class="rows">${shown.map((known) => showRow(list, known, circle, keyOf))}</ul>`}
<nav class="sections" aria-label="Pages"><ul>
${page > 1 && html`<li>${leadTo(page - 1, 'Previous page')}</li>`}<li>Page ${page} of ${pages}</li>${page < pages && html`<li>${leadTo(page + 1, 'Next page')}</li>`}
</ul></nav>
</section>`
}
