import { textField } from '../fields.ts'
import { type Html, html } from '../html.ts'
import { alertBox, type FormFrame, noticeBox, postForm } from '../layout.ts'
import { newPasswordFields } from './new-password.ts'

export interface AskSignUpForm extends FormFrame {
  /** True if sign-up is open. */
  readonly isOpen: boolean
  readonly email?: string | undefined
  readonly notice?: string | undefined
  readonly problem?: string | undefined
}

/** Renders the form that asks for the mail address to which the sign-up link is sent. */
export const askSignUpPage = ({
  isOpen,
  email,
  notice,
  problem,
  ...frame
}: AskSignUpForm): Html => html`<section class="card">
<h1>Make an account</h1>
${noticeBox(notice)}
${alertBox(problem)}
${
  isOpen
    ? html`<p>We send a link to your e-mail address. With it you choose a handle and a password.</p>
${postForm(
  frame,
  html`${textField({ id: 'email', name: 'email', label: 'E-mail address', type: 'email', value: email ?? '', maxLength: 254, autocomplete: 'email', isVerbatim: true, isRequired: true })}
<div class="buttons"><button>Send a link</button></div>`,
)}`
    : html`<p>Accounts are made by administrators here. Ask one of them.</p>`
}
<p class="quiet"><a href="/account/signin">Back to sign-in</a></p>
</section>`

/** Values that the person has typed, except the password, to show them again. */
export interface NewPerson {
  readonly handle?: string | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly dateOfBirth?: string | undefined
}

export interface SignUpForm extends FormFrame {
  readonly code: string
  readonly typed: NewPerson
  readonly minLength: number
  readonly problem?: string | undefined
}

/** Renders the form that asks for the new person's handle, names and password. */
export const signUpPage = ({
  code,
  typed,
  minLength,
  problem,
  ...frame
}: SignUpForm): Html => html`<section class="card">
<h1>Make an account</h1>
<p>Your e-mail address is confirmed. Who will you be here?</p>
${alertBox(problem)}
${postForm(
  frame,
  html`<input type="hidden" name="code" value="${code}">
${textField({ id: 'handle', name: 'handle', label: 'Handle', value: typed.handle ?? '', maxLength: 31, autocomplete: 'username', isVerbatim: true, isRequired: true, isFirst: problem !== undefined, hint: 'What others know you by: 1 to 30 letters from a to z, digits, dots, dashes or underscores.' })}
${textField({ id: 'first-name', name: 'firstName', label: 'First name', value: typed.firstName ?? '', maxLength: 100, autocomplete: 'given-name', hint: 'May stay empty.' })}
${textField({ id: 'last-name', name: 'lastName', label: 'Last name', value: typed.lastName ?? '', maxLength: 100, autocomplete: 'family-name' })}
${textField({ id: 'date-of-birth', name: 'dateOfBirth', label: 'Date of birth', type: 'date', value: typed.dateOfBirth ?? '', autocomplete: 'bday', isRequired: true, hint: 'People younger than 13 get an account from a parent.' })}
${newPasswordFields(minLength)}
<div class="buttons"><button>Make account</button></div>`,
)}
</section>`
