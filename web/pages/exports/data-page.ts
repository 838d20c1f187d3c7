import { type KeyOf, ownPasswordField, textField } from '../fields.ts'
import { type Html, html, nameOf } from '../html.ts'
import { alertBox, postForm } from '../layout.ts'

export const DATA = '/account/data'
export const DOWNLOAD_FORM = '/account/data/download'
export const DELETE_FORM = '/account/data/delete'

export interface DataPage {
  readonly handle: string
  /** Somebody decides for this child. */
  readonly hasParent: boolean
  readonly isParent: boolean
  readonly keyOf: KeyOf
  readonly problem?: { readonly form: string; readonly sentence: string } | undefined
  /** The handle that was typed. */
  readonly typed?: string | undefined
}

const IN_IT: readonly string[] = [
  'your profile, picture and cover',
  'the apps that you use, and where you are signed in',
  'your friends, requests and blocks, and your children or parents here',
  'what apps keep with you in their storage here',
  'messages that were sent to you, and what happened to your account',
]

const GOES: readonly string[] = [
  'You are signed out of all apps and browsers at once, and nobody can sign in with your handle, password or passkeys any more.',
  'Your profile, your pictures and your e-mail address are gone.',
  'Your friendships, requests and blocks are gone, for the others too.',
  'What apps keep here with you alone is gone.',
]

const STAYS: readonly string[] = [
  'What you share with others in an app stays with them, without you.',
  'Apps that you answer for stay, without an owner.',
  'The record of what happened to accounts keeps its entries for a while. They name you by a number that leads to nobody.',
  'Apps have copies of their own. Ask them.',
  'Your handle is given to nobody else for 180 days.',
]

const ORPHANS =
  'Children whom nobody else looks after keep their accounts, and nobody finds them until an operator names another parent.'

const list = (lines: readonly string[]): Html => html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`

/** One's own rights: to have everything, and to go. */
export function dataPage({ handle, hasParent, isParent, keyOf, problem, typed }: DataPage): Html {
  const isWrong = (action: string) => problem?.form === action
  const problemOf = (action: string) => alertBox(isWrong(action) ? problem?.sentence : undefined)
  return html`<section class="card wide">
<h1>Your data</h1>
<h2>Download everything</h2>
<p>You get a zip of JSON files with everything that the platform keeps about you:</p>
${list(IN_IT)}
${problemOf(DOWNLOAD_FORM)}
${postForm(
  { action: DOWNLOAD_FORM, csrfToken: keyOf(DOWNLOAD_FORM) },
  html`${ownPasswordField('download-password', { isFirst: isWrong(DOWNLOAD_FORM) })}
<div class="buttons"><button>Download</button></div>`,
)}
</section>
<section class="card wide" aria-labelledby="delete">
<h2 id="delete">Delete your account</h2>
${
  hasParent
    ? html`<p>A parent can delete your account. Ask them.</p>
${problemOf(DELETE_FORM)}`
    : html`<p>Nobody can undo this. You may want to download everything first.</p>
<h3>What goes</h3>
${list(GOES)}
<h3>What stays</h3>
${list(isParent ? [...STAYS, ORPHANS] : STAYS)}
${problemOf(DELETE_FORM)}
${postForm(
  { action: DELETE_FORM, csrfToken: keyOf(DELETE_FORM) },
  html`${textField({ id: 'delete-handle', name: 'handle', label: 'Your handle, typed once more', value: typed ?? '', maxLength: 100, isVerbatim: true, isRequired: true })}
${ownPasswordField('delete-password', { isFirst: isWrong(DELETE_FORM) })}
<div class="buttons"><button>Delete ${nameOf(handle)} for good</button></div>`,
)}`
}
</section>`
}
