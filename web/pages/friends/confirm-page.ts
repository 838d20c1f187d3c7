import type { KeyOf } from '../fields.ts'
import { type Html, html } from '../html.ts'
import { type Circle, circlePath, type Known, showPerson, verbForm } from './friends-page.ts'

const WORDS = {
  remove: {
    title: 'Remove a friend?',
    about: 'The friendship ends for both. To be friends again, one has to ask and the other to accept.',
    button: 'Remove',
  },
  block: {
    title: 'Block this person?',
    about:
      'A friendship and all requests between the two end. Neither finds the other any more, in no app. They are not told. A block can be ended later, but what was before does not come back.',
    button: 'Block',
  },
} as const

export interface ConfirmPage {
  readonly circle: Circle
  readonly verb: 'remove' | 'block'
  readonly other: Known
  readonly keyOf: KeyOf
}

export const confirmTitle = (verb: 'remove' | 'block'): string => WORDS[verb].title

/** Asks once more. */
export const confirmPage = ({ circle, verb, other, keyOf }: ConfirmPage): Html => html`<section class="card">
<h1>${WORDS[verb].title}</h1>
<p><strong>${showPerson(other)}</strong></p>
<p>${WORDS[verb].about}</p>
${verbForm(
  circle,
  keyOf,
  verb,
  html`<input type="hidden" name="friend" value="${other.handle}">
<div class="buttons"><button>${WORDS[verb].button}</button></div>`,
)}
<p class="quiet"><a href="${circlePath(circle, '')}">No, go back</a></p>
</section>`
